import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentOf,
  allowed,
  answering,
  calls,
  echo,
  readAll,
  runtimeOf,
  typesOf,
} from '../../test/support/runtime-scene.ts';
import { agentTool } from '../agents/subagents/agent-tool.ts';
import type { Policy } from '../agents/contract/permissions.ts';
import { ApprovalPolicy, type ApprovalRequest, type ApprovalsOptions } from './approval-policy.ts';
import type { RuntimeOptions } from './runtime-options.ts';

const context = { agent: 'main', threadId: 't', resourceId: 'acme' };
const write: ApprovalRequest = { kind: 'tool', tool: 'write', input: { path: 'a' } };
const plan: ApprovalRequest = { kind: 'plan', planId: 'p', title: 'T', plan: 'P' };
const decided = (options: ApprovalsOptions, request: ApprovalRequest = write) =>
  new ApprovalPolicy(options).decide(request, context).policy;

describe('the policy of a runtime', () => {
  it('lets tools run and asks about plans when it says nothing', () => {
    expect([decided({}), decided({}, plan)]).toEqual(['allow', 'ask']);
  });

  it('decides by the strictest of floor, agent, tool and predicate', () => {
    const rank: Record<Policy, number> = { allow: 0, ask: 1, deny: 2 };
    const policy = fc.constantFrom<Policy>('allow', 'ask', 'deny');
    fc.assert(
      fc.property(policy, policy, policy, policy, (floor, agent, tool, predicate) => {
        const options: ApprovalsOptions = {
          floor: { tools: floor },
          agents: { main: { tools: agent } },
          tools: { write: tool },
          predicate: () => predicate,
        };
        const strictest = [floor, agent, tool, predicate].toSorted((a, b) => rank[b] - rank[a])[0];
        expect(decided(options)).toBe(strictest);
      }),
    );
  });

  it('takes floors for agents, tools and plans apart', () => {
    const options: ApprovalsOptions = {
      floor: { plans: 'allow' },
      agents: { other: { tools: 'deny', plans: 'deny' } },
      tools: { read: 'deny' },
    };
    expect([decided(options), decided(options, plan)]).toEqual(['allow', 'allow']);
    expect(decided({ agents: { main: { plans: 'allow' } } }, plan)).toBe('ask');
  });

  it('gives a predicate the call and where it is made', () => {
    const seen: unknown[] = [];
    const predicate = (...given: unknown[]): Policy => {
      seen.push(given);
      return 'ask';
    };
    expect(decided({ tools: { write: predicate } })).toBe('ask');
    expect(seen).toEqual([[write, context]]);
  });

  it('asks when a predicate throws or says what is no policy', () => {
    const failing = () => {
      throw new Error('lost');
    };
    expect(decided({ predicate: failing })).toBe('ask');
    expect(decided({ tools: { write: failing }, floor: { tools: 'deny' } })).toBe('deny');
    expect(decided({ predicate: (() => Promise.resolve('allow')) as never })).toBe('ask');
  });

  it('leaves a tool of the category plan to the plan it asks about', () => {
    const tool: ApprovalRequest = { kind: 'tool', tool: 'plan', category: 'plan', input: {} };
    expect(decided({ floor: { tools: 'ask' } }, tool)).toBe('allow');
    expect(decided({ floor: { plans: 'deny' } }, tool)).toBe('deny');
    expect(decided({ tools: { plan: 'ask' } }, tool)).toBe('ask');
  });

  it.each([
    [{ floor: { tools: 'alow' } }, 'floor.tools'],
    [{ tools: { write: 'never' } }, 'tools.write'],
    [{ agents: { main: 'ask' } }, 'agents.main'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ floors: {} }, 'floors'],
  ])('refuses %j instead of allowing too much', (options, field) => {
    expect(() => new ApprovalPolicy(options as ApprovalsOptions)).toThrowError(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(`\`${field}\``) }),
    );
  });
});

describe('the policy in a run', () => {
  const echoing = [[calls('echo', { value: 'hi' })], 'Done.'];
  const askedIn = async (options: Partial<RuntimeOptions>) => {
    const runtime = runtimeOf(options);
    const events = await readAll(runtime.query('Hi', { threadId: 't' }), answering(runtime, 'approve'));
    return typesOf(events).filter(type => type === 'approval-required').length;
  };

  it('never loosens what an agent asks about itself', async () => {
    const agent = agentOf(echoing, { tools: [echo], permissions: { default: 'ask', rules: [] } });
    expect(await askedIn({ agent, approvals: { tools: { echo: 'allow' } } })).toBe(1);
  });

  it('applies to the agents that an agent starts by itself, at any depth', async () => {
    const scout = { agent: agentOf(echoing, { id: 'scout', tools: [echo] }), description: 'looks' };
    const starting = [[calls('agent', { task: 'Look.' })], 'Done.'];
    const lead = agentOf(starting, { id: 'lead', tools: [agentTool({ agents: [scout] })] });
    const agent = agentOf(starting, { tools: [agentTool({ agents: [{ agent: lead, description: 'leads' }] })] });
    expect(await askedIn({ agent, approvals: { tools: { echo: 'ask' } } })).toBe(1);
    expect(await askedIn({ agent })).toBe(0);
  });

  it('goes by the specialist that makes the call, not by the agent that started it', async () => {
    const specialists = [{ agent: agentOf(echoing, { id: 'scout', tools: [echo] }), description: 'looks' }];
    const agent = agentOf([[calls('agent', { task: 'Look.' }), calls('echo', { value: 'me' })], 'Done.'], {
      tools: [echo],
      permissions: allowed,
    });
    const asked: unknown[] = [];
    const predicate = (request: ApprovalRequest, { agent }: { agent: string }): Policy => {
      asked.push([agent, request.kind === 'tool' && request.tool]);
      return 'allow';
    };
    expect(await askedIn({ agent, specialists, approvals: { agents: { scout: { tools: 'ask' } }, predicate } })).toBe(
      1,
    );
    expect(await askedIn({ agent, specialists, approvals: { agents: { main: { tools: 'ask' } } } })).toBe(2);
    expect(new Set(asked.map(each => JSON.stringify(each)))).toEqual(
      new Set(['["main","agent"]', '["main","echo"]', '["scout","echo"]']),
    );
  });
});
