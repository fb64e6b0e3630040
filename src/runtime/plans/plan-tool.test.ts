import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { gate } from '../../../test/support/scripted-agent.ts';
import {
  agentOf,
  allowed,
  answering,
  calls,
  type Of,
  plain,
  readAll,
  runtimeOf,
} from '../../../test/support/runtime-scene.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { importThread } from '../../log/jsonl.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import type { FlowEvent } from '../../protocols/flow/flow-event.ts';
import { type ApprovedPlan, type PlanToolOptions, planTool } from './plan-tool.ts';
import type { RuntimeOptions } from '../runtime-options.ts';

const submit = (input: object = {}) => calls('plan', { title: 'Prices', plan: 'Raise them.', planId: 'p', ...input });

/** A runtime with an agent that submits plans, and what was carried out of them. */
function scene(
  turns: Parameters<typeof agentOf>[0] = [[submit()], 'Done.'],
  execute: PlanToolOptions['execute'] = () => 'raised',
  more: Partial<RuntimeOptions> = {},
) {
  const dispatched: ApprovedPlan[] = [];
  const tool = planTool({
    execute: (plan, context) => {
      dispatched.push(plan);
      return execute(plan, context);
    },
  });
  const agent = agentOf(turns, { tools: [tool], permissions: allowed });
  const options: Partial<RuntimeOptions> = { agent, ...more };
  return { dispatched, options, runtime: runtimeOf(options) };
}

const moves = (events: readonly FlowEvent[]) =>
  events.flatMap(event => (event.type === 'plan-status-change' ? [[event.data.from, event.data.to]] : []));
const results = (events: readonly FlowEvent[]) =>
  events.flatMap(event => (event.type === 'tool-invocation' && event.state === 'result' ? [event.result] : []));
const untilPending = (event: FlowEvent): event is Of<'approval-required'> => event.type === 'approval-required';

describe('a plan', () => {
  it('is drafted, approved by a person and carried out, step by step on the wire', async () => {
    const { runtime, dispatched } = scene();
    const events = await readAll(
      runtime.query('Go', { threadId: 't' }),
      answering(runtime, 'approve', { feedback: 'well done' }),
    );
    const call = {
      type: 'tool-invocation',
      toolInvocationId: 'id-1/call_1',
      toolName: 'plan',
      args: { title: 'Prices', plan: 'Raise them.', planId: 'p' },
    };
    const change = (from: string, to: string) => ({ type: 'plan-status-change', data: { planId: 'p', from, to } });
    expect(plain(events).slice(0, -4)).toEqual([
      { type: 'step-start' },
      { ...call, state: 'call' },
      change('draft', 'pending_approval'),
      {
        type: 'approval-required',
        data: {
          id: 'id-2',
          kind: 'plan',
          target: 'p',
          payload: { toolCallId: 'id-1/call_1', title: 'Prices', plan: 'Raise them.' },
          resourceId: 'acme',
          threadId: 't',
        },
      },
      { type: 'approval-decision', data: { id: 'id-2', outcome: { outcome: 'approve' }, feedback: 'well done' } },
      change('pending_approval', 'approved'),
      change('approved', 'executing'),
      change('executing', 'executed'),
      {
        ...call,
        state: 'result',
        result: { planId: 'p', status: 'executed', decision: 'approve', feedback: 'well done', result: 'raised' },
      },
      { type: 'step-start' },
    ]);
    expect(dispatched).toEqual([{ planId: 'p', title: 'Prices', plan: 'Raise them.', feedback: 'well done' }]);
    expect(await runtime.plans('t')).toEqual([
      { planId: 'p', status: 'executed', shown: 'executed', title: 'Prices', plan: 'Raise them.' },
    ]);
  });

  it('that is rejected stays a draft and is not carried out; the agent gets the reason', async () => {
    const { runtime, dispatched } = scene();
    const answer = answering(runtime, 'reject', { feedback: 'too dear' });
    const events = await readAll(runtime.query('Go', { threadId: 't' }), answer);
    expect(dispatched).toEqual([]);
    expect(moves(events)).toEqual([
      ['draft', 'pending_approval'],
      ['pending_approval', 'draft'],
    ]);
    expect(results(events)).toEqual([{ planId: 'p', status: 'draft', decision: 'reject', feedback: 'too dear' }]);
    expect(await runtime.plans('t')).toMatchObject([{ status: 'draft', shown: 'draft' }]);
  });

  it('that is to be revised is submitted again with the same id, and then carried out once', async () => {
    const { runtime, dispatched } = scene([[submit()], [submit({ plan: 'Raise some.' })], 'Done.']);
    const answers = [
      answering(runtime, 'revise', { feedback: 'not all', partial: { only: ['tea'] } }),
      answering(runtime, 'approve'),
    ];
    const events = await readAll(runtime.query('Go', { threadId: 't' }), event =>
      untilPending(event) ? answers.shift()?.(event) : undefined,
    );
    expect(moves(events)).toEqual([
      ['draft', 'pending_approval'],
      ['pending_approval', 'draft'],
      ['draft', 'pending_approval'],
      ['pending_approval', 'approved'],
      ['approved', 'executing'],
      ['executing', 'executed'],
    ]);
    expect(results(events)[0]).toEqual({
      planId: 'p',
      status: 'draft',
      decision: 'revise',
      feedback: 'not all',
      partial: { only: ['tea'] },
    });
    expect(dispatched).toEqual([{ planId: 'p', title: 'Prices', plan: 'Raise some.' }]);
  });

  it('that nobody answers in time stays a draft', async () => {
    const clock = new ManualClock();
    const { runtime, dispatched } = scene(undefined, undefined, { clock, approvals: { timeoutMs: 1_000 } });
    const reading = readAll(runtime.query('Go', { threadId: 't' }));
    await vi.waitFor(() => expect(clock.timers).toBe(1));
    clock.advance(1_000);
    expect(results(await reading)).toEqual([{ planId: 'p', status: 'draft', decision: 'expired' }]);
    expect(dispatched).toEqual([]);
  });

  it('has the id of its call when the agent gives none', async () => {
    const { runtime } = scene([[calls('plan', { title: 'Prices', plan: 'Raise them.' })], 'Done.']);
    const events = plain(await readAll(runtime.query('Go', { threadId: 't' }), answering(runtime, 'approve')));
    expect(events.find(untilPending)?.data.target).toBe('id-1/call_1');
  });

  it('fails when it cannot be carried out', async () => {
    const { runtime } = scene(undefined, () => {
      throw new Error('The shop is closed.');
    });
    const events = await readAll(runtime.query('Go', { threadId: 't' }), answering(runtime, 'approve'));
    expect(moves(events).at(-1)).toEqual(['executing', 'failed']);
    expect(results(events)).toEqual([{ error: 'The shop is closed.' }]);
  });

  it('fails when it is cancelled while it is carried out', async () => {
    const started = gate();
    const { runtime } = scene(undefined, () => {
      started.open();
      return new Promise(() => {});
    });
    const reading = readAll(runtime.query('Go', { threadId: 't' }), answering(runtime, 'approve'));
    await started.opened;
    await runtime.cancel('t');
    expect(moves(await reading).at(-1)).toEqual(['executing', 'failed']);
    expect(await runtime.plans('t')).toMatchObject([{ status: 'failed' }]);
  });

  it('is carried out once when two calls submit it side by side', async () => {
    const { runtime, dispatched } = scene([[submit(), submit({ plan: 'Lower them.' })], 'Done.']);
    const events = await readAll(runtime.query('Go', { threadId: 't' }), answering(runtime, 'approve'));
    expect(dispatched).toHaveLength(1);
    expect(results(events)).toEqual([
      { error: 'Another call works on the plan "p": wait for its result.' },
      { planId: 'p', status: 'executed', decision: 'approve', result: 'raised' },
    ]);
  });

  it('is not carried out again after its end', async () => {
    const { runtime, dispatched } = scene([[submit()], [submit()], 'Done.']);
    const events = await readAll(runtime.query('Go', { threadId: 't' }), answering(runtime, 'approve'));
    expect(dispatched).toHaveLength(1);
    expect(results(events)[1]).toEqual({
      error: 'The plan "p" cannot become approved: it is executed. Make a new plan instead.',
    });
  });

  it('needs nobody when the policy allows plans, and is refused when it denies them', async () => {
    const free = scene(undefined, undefined, { approvals: { floor: { plans: 'allow', tools: 'ask' } } });
    expect(moves(await readAll(free.runtime.query('Go', { threadId: 't' })))).toEqual([
      ['draft', 'approved'],
      ['approved', 'executing'],
      ['executing', 'executed'],
    ]);
    const strict = scene(undefined, undefined, {
      approvals: { predicate: request => (request.kind === 'plan' ? 'deny' : 'allow') },
    });
    expect(results(await readAll(strict.runtime.query('Go', { threadId: 't' })))).toEqual([
      { planId: 'p', status: 'draft', decision: 'reject', feedback: 'The plan is denied by the policy of the runtime' },
    ]);
    expect(strict.dispatched).toEqual([]);
  });

  it('that waits is approved and carried out in the next process', async () => {
    const { runtime, options, dispatched } = scene();
    for await (const event of runtime.query('Go', { threadId: 't' })) if (untilPending(event)) break;
    expect(await runtime.plans('t')).toMatchObject([{ status: 'draft', shown: 'pending_approval' }]);
    await runtime.close();
    const next = runtimeOf({ ...options, storage: runtime.storage });
    const [pending] = await next.pendingApprovals();
    await next.respondToApproval(pending?.id as string, 'approve');
    await next.recover();
    expect(moves(await readAll(next.watch('t')))).toEqual([
      ['draft', 'pending_approval'],
      ['pending_approval', 'approved'],
      ['approved', 'executing'],
      ['executing', 'executed'],
    ]);
    expect(dispatched).toHaveLength(1);
  });

  it('whose process ended while it was carried out has failed, and is not carried out again', async () => {
    const started = gate();
    const { runtime, options, dispatched } = scene(undefined, () => {
      started.open();
      return new Promise(() => {});
    });
    const reading = readPart(runtime.query('Go', { threadId: 't' }), answering(runtime, 'approve'));
    await started.opened;
    await runtime.close();
    await reading;
    const next = runtimeOf({ ...options, storage: runtime.storage });
    expect(await next.plans('t')).toMatchObject([{ status: 'executing' }]);
    await next.recover();
    const events = await readAll(next.watch('t'));
    expect(moves(events).at(-1)).toEqual(['executing', 'failed']);
    expect(results(events)).toEqual([{ error: expect.stringContaining('The outcome of this plan is unknown') }]);
    expect(dispatched).toHaveLength(1);
  });

  it('is a new draft in a thread whose imported events have a plan of its id', async () => {
    const { options, dispatched } = scene();
    const storage = new MemoryLog();
    const imported = (['draft', 'approved', 'executing', 'executed'] as const).map(to =>
      JSON.stringify({ type: 'plan_status', runId: 'r', planId: 'p', to } satisfies AgentEvent),
    );
    await importThread(storage, [imported.join('\n')], { id: 't', resourceId: 'acme' });
    const runtime = runtimeOf({ ...options, storage });
    expect(await runtime.plans('t')).toEqual([]);
    await readAll(runtime.query('Go', { threadId: 't' }), answering(runtime, 'approve'));
    expect(dispatched).toHaveLength(1);
    expect(await runtime.plans('t')).toMatchObject([{ planId: 'p', status: 'executed' }]);
  });

  it('is refused outside a runtime', async () => {
    const agent = agentOf([[submit()], 'Done.'], { tools: [planTool({ execute: () => 'raised' })] });
    const { signal } = new AbortController();
    const outputs: unknown[] = [];
    for await (const event of agent.invoke({
      run: { runId: 'run', signal },
      conversation: { messages: [{ role: 'user', content: 'Go' }] },
    }))
      if (event.type === 'tool_result') outputs.push(event.output);
    expect(outputs).toEqual([{ error: 'This tool works in a runtime only: run its agent by createRuntime.' }]);
  });
});

async function readPart(stream: AsyncIterable<FlowEvent>, onEvent: (event: FlowEvent) => Promise<unknown> | undefined) {
  for await (const event of stream) await onEvent(event);
}
