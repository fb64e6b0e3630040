import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { lawRuns } from '../../test/support/run-size.ts';
import { agentOf, calls, readAll, runtimeOf, usageOf } from '../../test/support/runtime-scene.ts';
import type { Agent, Tool } from '../agents/contract/agent.ts';
import { agentTool } from '../agents/subagents/agent-tool.ts';
import { defineTool } from '../agents/loop/tool.ts';
import type { ScriptedTurn } from '../agents/model/scripted/script.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { addUsage, noUsage } from '../events/usage-sum.ts';
import { requestUsage } from '../protocols/request/totals.ts';
import { checkFlowOrder } from '../protocols/flow/flow-order.ts';
import type { FlowEvent } from '../protocols/flow/flow-event.ts';
import { planTool } from './plans/plan-tool.ts';
import type { Runtime } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** What an agent does in a step: it says something and uses tools side by side, or its model fails. */
type Step = { say: string; use: readonly Use[] } | 'fail' | 'cut';
type Use = { tool: 'fine' | 'fails' | 'gated' | 'reports' | 'emits' | 'plan' | 'absent' | 'invalid' } | { start: Cast };
interface Cast {
  readonly steps: readonly Step[];
}

const { cast } = fc.letrec<{ cast: Cast; step: Step; use: Use }>(tie => ({
  cast: fc.record({ steps: fc.array(tie('step'), { minLength: 1, maxLength: 3 }) }),
  step: fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        say: fc.constantFrom('', 'So.'),
        use: fc.array(tie('use'), { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.constant<Step>('fail') },
    { weight: 1, arbitrary: fc.constant<Step>('cut') },
  ),
  use: fc.oneof(
    { depthSize: 'small' },
    fc.record({
      tool: fc.constantFrom('gated', 'plan', 'fine', 'fails', 'gated', 'reports', 'emits', 'plan', 'absent', 'invalid'),
    }),
    fc.record({ start: tie('cast') }),
  ),
}));

/** After how many wire events something happens, if at all. */
const moment = fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(25) });

/** What people do: how each approval is answered, and when the thread is cancelled or the process ends. */
const people = fc.record({
  answers: fc.array(fc.record({ how: fc.constantFrom('approve', 'reject', 'revise'), later: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  }),
  cancelAt: moment,
  restartAt: moment,
});
type People = typeof people extends fc.Arbitrary<infer Value> ? Value : never;

const value = z.object({ value: z.string() });
function toolsOf(executed: string[]): Tool[] {
  const tool = (name: string, execute: Tool['execute']) =>
    defineTool({ name, description: name, input: value, execute });
  return [
    tool('fine', () => 'ok'),
    tool('fails', () => {
      throw new Error('It broke.');
    }),
    tool('gated', (_, { toolCallId }) => {
      executed.push(toolCallId);
      return 'ok';
    }),
    tool('reports', async (_, { progress }) => {
      for (const phaseIndex of [2, 1, 3]) {
        progress({ label: 'On it', phaseIndex, totalPhases: 2 });
        await new Promise(setImmediate);
      }
      return 'ok';
    }),
    tool('emits', async (_, { emit }) => {
      await emit({ type: 'custom', name: 'acme-news', data: { of: 'us' } });
      await emit({ type: 'file_registered', id: 'file', path: 'out.txt' });
      return 'ok';
    }),
    planTool({
      execute: ({ planId }) => {
        executed.push(planId);
        return 'ok';
      },
    }),
  ];
}

/** Builds the agent with those it starts; each has a name of its own. */
function build({ steps }: Cast, tools: readonly Tool[], name = 'main'): Agent {
  const below: Agent[] = [];
  const turnOf = (step: Step): ScriptedTurn => {
    if (step === 'fail') return { httpStatus: 400, message: 'The model is gone.' };
    if (step === 'cut') return [{ text: 'Wait' }, { cut: true }];
    const used = step.use.map(use => {
      if ('start' in use) {
        const agent = build(use.start, tools, `${name}-${below.length + 1}`);
        below.push(agent);
        return calls('agent', { task: 'Look.', agent: agent.id });
      }
      if (use.tool === 'plan') return calls('plan', { title: 'T', plan: 'P' });
      return calls(use.tool === 'invalid' ? 'fine' : use.tool, use.tool === 'invalid' ? {} : { value: 'a' });
    });
    return step.say === '' && used.length > 0 ? used : [{ text: step.say || 'Hm.' }, ...used];
  };
  // A step without tools ends a run, so it comes last.
  const turns = [...steps.filter(step => typeof step === 'string' || step.use.length > 0).map(turnOf), 'Done.'];
  const agents = below.map(agent => ({ agent, description: agent.id }));
  return agentOf(turns, { id: name, tools: agents.length === 0 ? tools : [...tools, agentTool({ agents })] });
}

const lateCodes = ['relay_resolved', 'run_not_found'];
const unlessLate = (error: unknown) => {
  if (!SingletreeError.is(error) || !lateCodes.includes(error.code)) throw error;
};

/** Plays a request with its people; returns the whole stream, and what is in the log. */
async function play(cast: Cast, { answers, cancelAt, restartAt }: People) {
  const executed: string[] = [];
  const options: Partial<RuntimeOptions> = {
    agent: build(cast, toolsOf(executed)),
    approvals: { tools: { gated: 'ask' } },
  };
  const under: Promise<unknown>[] = [];
  let asked = 0;
  const act = async (runtime: Runtime, event: FlowEvent, at: number) => {
    if (at === cancelAt) await runtime.cancel('t').catch(unlessLate);
    if (event.type !== 'approval-required') return;
    const { how, later } = answers[asked++ % answers.length] as People['answers'][number];
    const partial = how === 'revise' ? { value: 'b' } : undefined;
    const answer = () => runtime.respondToApproval(event.data.id, how, { partial }).catch(unlessLate);
    if (later) under.push(new Promise(setImmediate).then(answer));
    else await answer();
  };
  const first = runtimeOf(options);
  const { storage } = first;
  let index = 0;
  let events = await readWhole(first.query('Go', { threadId: 't' }), async event => {
    if (index === restartAt) await first.close();
    else await act(first, event, index);
    index++;
  });
  await Promise.all(under);
  await first.close();
  const second = runtimeOf({ ...options, storage });
  if (!isEnded(events)) {
    await second.recover();
    index = 0;
    events = await readWhole(second.watch('t'), event => act(second, event, index++));
    await Promise.all(under);
  }
  expect(await readAll(second.watch('t'))).toEqual(events);
  await second.close();
  return { events, logged: await storage.read('t', { limit: 10_000 }), executed };
}

async function readWhole(stream: AsyncIterable<FlowEvent>, onEvent: (event: FlowEvent) => Promise<unknown>) {
  const events: FlowEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    await onEvent(event);
  }
  return events;
}
const isEnded = (events: readonly FlowEvent[]) => events.some(({ type }) => type === 'finish' || type === 'error');
const sumOf = (events: readonly AgentEvent[]) =>
  requestUsage(events.reduce((sum, event) => (event.type === 'usage' ? addUsage(sum, event) : sum), noUsage));

describe('every stream of a runtime', () => {
  it('keeps the order, ends once, and emits what is in the log, whatever agents and people do', async () => {
    await fc.assert(
      fc.asyncProperty(cast, people, async (cast, people) => {
        const { events, logged, executed } = await play(cast, people);
        expect(checkFlowOrder(events)).toEqual([]);

        const finish = events.find(event => event.type === 'finish');
        if (finish !== undefined) expect(finish.usage).toEqual(sumOf(logged));
        const summary = events.find(event => event.type === 'data-cost-summary');
        const split = (summary?.data.agents ?? []).map(({ usage }) => usage);
        const total = split.reduce((sum, each) => sum + each.totalTokens, 0);
        if (finish !== undefined) expect(total).toBe(finish.usage.totalTokens);

        const count = (type: FlowEvent['type']) => events.filter(event => event.type === type).length;
        const news = logged.filter(({ type }) => type === 'custom');
        expect(count('custom')).toBe(news.length);
        expect(count('data-file-registered')).toBe(logged.filter(({ type }) => type === 'file_registered').length);

        const granted = events.filter(
          event => event.type === 'approval-decision' && event.data.outcome.outcome !== 'reject',
        );
        expect(executed.length).toBeLessThanOrEqual(granted.length);
        expect(new Set(executed).size).toBe(executed.length);
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it('counts the tokens of agents below agents', async () => {
    const nested: Cast = {
      steps: [{ say: '', use: [{ start: { steps: [{ say: '', use: [{ start: { steps: [] } }] }] } }] }],
    };
    const { events } = await play(nested, { answers: [], cancelAt: undefined, restartAt: undefined });
    expect(events.find(event => event.type === 'finish')?.usage).toEqual(usageOf(50, 9));
  });
});
