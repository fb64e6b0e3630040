import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { DecisionSource, PermissionRuleSet } from '../contract/permissions.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import { loopAgent } from './loop-agent.ts';
import type { LoopAgentOptions } from './loop-agent-options.ts';
import { defineTool } from './tool.ts';
import type { Tool } from '../contract/agent.ts';

const model = scriptedModel([]);
const tool = defineTool({ name: 'touch', description: 'touches', input: z.object({}), execute: () => 'touched' });
const make = (options: unknown) => loopAgent(options as LoopAgentOptions);
const messageFor = (options: unknown, code: SingletreeError['code'] = 'invalid_argument') => {
  try {
    make(options);
  } catch (error) {
    if (SingletreeError.is(error, code)) return error.message;
    throw error;
  }
  return 'taken';
};

describe('the options of a loop', () => {
  it.each<[unknown, string]>([
    [undefined, '`loopAgent` expects an object with its options, but received nothing.'],
    [
      {},
      '`loopAgent` was given nothing as `model`: expected a model of specification v2, v3 or v4, or its id such as "anthropic/claude-sonnet-4-5".',
    ],
    [{ id: 'a', model: {} }, 'The agent "a" was given an object as `model`: expected a model'],
    [{ id: 'a', model, tools: 'touch' }, 'The agent "a" was given "touch" as `tools`: expected an array'],
    [{ model, tools: { touch: 7 } }, 'The tool "touch" is 7: expected an object'],
    [{ model, tools: { touch: {} } }, 'The tool "touch" was given nothing as `description`'],
    [{ model, id: 7 }, '`loopAgent` was given 7 as `id`: expected a string'],
    [{ model, maxIterations: '5' }, 'was given "5" as `maxIterations`: expected a number'],
    [{ model, compaction: true }, 'was given true as `compaction`: expected'],
    [{ model, tools: [tool, undefined] }, 'A tool is nothing: expected an object'],
    [{ model, tools: [{ ...tool, execute: undefined }] }, 'The tool "touch" was given nothing as `execute`'],
  ])('are refused at once when they do not fit: %j', (options, message) => {
    expect(messageFor(options)).toContain(message);
  });

  it('are rejected when one is unknown, with the closest name', () => {
    const permission = { default: 'ask', rules: [] };
    expect(messageFor({ id: 'a', model, permission })).toContain(
      'The agent "a" has no option `permission`: did you mean `permissions`? Valid options: `id`, `model`,',
    );
    expect(messageFor({ model, Tools: [] })).toContain('did you mean `tools`?');
    expect(messageFor({ model, temperature: 1 })).toContain('has no option `temperature`. Valid options: `id`, ');
  });

  it('may be absent or undefined', () => {
    expect(messageFor({ model, id: undefined, tools: undefined, permissions: undefined })).toBe('taken');
    expect(messageFor({ model: 'openai/gpt-5.5', compaction: false, toolTimeoutMs: Infinity })).toBe('taken');
  });
});

describe('the permissions of a loop', () => {
  const wrong: unknown[] = [
    { default: 'ask', rules: [{ tools: 'read_it', policy: 'allow' }] },
    { rules: [{ Command: 'ls *', policy: 'allow' }] },
    { rules: [{ tool: 'touch', policy: 'denied' }] },
    { default: 'yes', rules: [] },
    { rules: { touch: 'allow' } },
    {},
    null,
  ];
  it.each(wrong)('are rejected at once when they are not rules: %j', permissions => {
    expect(messageFor({ model, permissions }, 'invalid_permission_rule')).toContain('The permission rules are invalid');
  });

  it.each(wrong)('are rejected before the model is called when passed to a run: %j', async permissions => {
    const called = scriptedModel(['Hi.']);
    const events = await run(make({ model: called }), [permissions as PermissionRuleSet]);
    expect(events).toMatchObject([
      { type: 'harness_start' },
      { type: 'error', code: 'invalid_permission_rule', fatal: true },
      { type: 'harness_end', reason: 'error' },
    ]);
    expect(called.requests).toEqual([]);
  });

  it('may be a function for one run', async () => {
    const calling = scriptedModel([[{ toolCall: { name: 'touch', input: {} } }], 'Done.']);
    const events = await run(make({ model: calling, tools: [tool] }), [() => ({ policy: 'allow' })]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_result', output: { context: 'touched', result: 'touched' } }),
    );
  });
});

it('validates the tools that a function returns when a run requests them', async () => {
  const broken = { ...tool, execute: undefined } as unknown as Tool;
  const failed = await run(make({ model, tools: () => [broken] }), []);
  expect(failed.find(({ type }) => type === 'error')).toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('The tool "touch" was given nothing'),
    fatal: true,
  });
});

async function run(agent: ReturnType<typeof loopAgent>, permissions: readonly DecisionSource[]): Promise<AgentEvent[]> {
  const { signal } = new AbortController();
  const messages = [{ role: 'user' as const, content: 'Go.' }];
  const all: AgentEvent[] = [];
  for await (const event of agent.invoke({
    run: { runId: 'run', signal },
    conversation: { messages },
    host: { permissions },
  }))
    all.push(event);
  return all;
}
