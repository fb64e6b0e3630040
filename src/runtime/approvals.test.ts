import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { agentOf, calls, echo, type Of, readAll, runtimeOf, typesOf } from '../../test/support/runtime-scene.ts';
import { scriptedAgent } from '../../test/support/scripted-agent.ts';
import { defineTool } from '../agents/tool-definition/define-tool.ts';
import type { FlowEvent } from '../protocols/flow/flow-event.ts';
import type { FlowStream } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';

const echoing = () => agentOf([[calls('echo', { value: 'hi' })], 'Done.'], { tools: [echo] });
const gated: RuntimeOptions['approvals'] = { tools: { echo: 'ask' } };
const isAsked = (event: FlowEvent): event is Of<'approval-required'> => event.type === 'approval-required';

/** Reads until something is asked, and leaves the stream. */
async function untilAsked(stream: FlowStream): Promise<string> {
  for await (const event of stream) if (isAsked(event)) return event.data.id;
  throw new Error('nothing was asked');
}
const resultOf = (events: readonly FlowEvent[]) =>
  events.find(event => event.type === 'tool-invocation' && event.state === 'result');

describe('an approval', () => {
  it('is listed while it waits, as the stream emitted it', async () => {
    const runtime = runtimeOf({ agent: echoing(), approvals: gated });
    let emitted: unknown;
    for await (const event of runtime.query('Hi', { threadId: 'a' })) {
      if (!isAsked(event)) continue;
      emitted = event.data;
      break;
    }
    await untilAsked(runtime.query('Hi', { threadId: 'b' }));
    expect(await runtime.pendingApprovals({ threadId: 'a' })).toEqual([emitted]);
    const all = await runtime.pendingApprovals();
    expect(new Set(all.map(({ threadId }) => threadId))).toEqual(new Set(['a', 'b']));
    const [first] = await runtime.pendingApprovals({ threadId: 'a' });
    await runtime.respondToApproval(first?.id as string, 'approve');
    await readAll(runtime.watch('a'));
    expect(await runtime.pendingApprovals({ threadId: 'a' })).toEqual([]);
    await runtime.cancel('b');
    expect(await runtime.pendingApprovals()).toEqual([]);
  });

  it('is decided once: the first answer counts', async () => {
    const runtime = runtimeOf({ agent: echoing(), approvals: gated });
    const id = await untilAsked(runtime.query('Hi', { threadId: 't' }));
    const answers = await Promise.allSettled([
      runtime.respondToApproval(id, 'approve'),
      runtime.respondToApproval(id, 'reject'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await readAll(runtime.watch('t'));
    await expect(runtime.respondToApproval(id, 'reject')).rejects.toMatchObject({ code: 'relay_resolved' });
  });

  it('that nobody asked for, that is of another resource, or whose run was cancelled is refused, each in its own way', async () => {
    const runtime = runtimeOf({ agent: echoing(), approvals: gated });
    const foreign = runtimeOf({ agent: echoing(), storage: runtime.storage, resourceId: 'other' });
    const id = await untilAsked(runtime.query('Hi', { threadId: 't' }));
    await expect(runtime.respondToApproval('nothing', 'approve')).rejects.toMatchObject({ code: 'relay_not_found' });
    await expect(foreign.respondToApproval(id, 'approve')).rejects.toMatchObject({ code: 'relay_foreign' });
    expect(await foreign.pendingApprovals()).toEqual([]);
    await runtime.cancel('t');
    await expect(runtime.respondToApproval(id, 'approve')).rejects.toMatchObject({
      code: 'relay_resolved',
      message: expect.stringContaining('its run ended'),
    });
  });

  it('cannot be revised without saying how, nor decided with what changes nothing', async () => {
    const runtime = runtimeOf({ agent: echoing(), approvals: gated });
    const id = await untilAsked(runtime.query('Hi', { threadId: 't' }));
    const refused = { code: 'invalid_argument' };
    await expect(runtime.respondToApproval(id, 'revise')).rejects.toMatchObject(refused);
    await expect(runtime.respondToApproval(id, 'approve', { partial: {} })).rejects.toMatchObject(refused);
    await expect(runtime.respondToApproval(id, 'reject', { answer: 'a' })).rejects.toMatchObject(refused);
    expect(await runtime.pendingApprovals()).toHaveLength(1);
    await runtime.cancel('t');
  });

  it('of a revised call keeps the arguments that were not changed', async () => {
    const add = defineTool({
      name: 'add',
      description: 'adds',
      input: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => a + b,
    });
    const agent = agentOf([[calls('add', { a: 1, b: 2 })], 'Done.'], { tools: [add] });
    const runtime = runtimeOf({ agent, approvals: { tools: { add: 'ask' } } });
    const id = await untilAsked(runtime.query('Hi', { threadId: 't' }));
    await runtime.respondToApproval(id, 'revise', { partial: { b: 40 } });
    expect(resultOf(await readAll(runtime.watch('t')))).toMatchObject({ result: 41 });
  });

  it('is also how a question of a tool is answered', async () => {
    const choose = defineTool({
      name: 'choose',
      description: 'asks',
      input: z.object({}),
      execute: async (_, { ask }) => String((await ask({ relayKind: 'question', question: 'Tea?' }))?.answer),
    });
    const runtime = runtimeOf({ agent: agentOf([[calls('choose', {})], 'Done.'], { tools: [choose] }) });
    const id = await untilAsked(runtime.query('Hi', { threadId: 't' }));
    expect(await runtime.pendingApprovals()).toMatchObject([{ kind: 'question', payload: { question: 'Tea?' } }]);
    await runtime.respondToApproval(id, 'approve', { answer: 'Yes' });
    expect(resultOf(await readAll(runtime.watch('t')))).toMatchObject({ result: 'Yes' });
  });
});

describe('an approval after a restart', () => {
  it('is listed and answered by the next runtime, and recover resumes the run', async () => {
    const options = { agent: echoing(), approvals: gated };
    const first = runtimeOf(options);
    const id = await untilAsked(first.query('Hi', { threadId: 't' }));
    await first.close();
    const second = runtimeOf({ ...options, storage: first.storage });
    expect(await second.pendingApprovals()).toMatchObject([{ id, kind: 'tool', threadId: 't' }]);
    await second.respondToApproval(id, 'approve');
    expect(await second.pendingApprovals()).toEqual([]);
    expect(await second.recover()).toHaveLength(1);
    expect(typesOf(await readAll(second.watch('t')))).toEqual([
      'step-start',
      'tool-invocation',
      'approval-required',
      'approval-decision',
      'tool-invocation',
      'step-start',
      'text',
      'finish',
      'data-cost-summary',
      'data-latency-summary',
    ]);
    expect(await second.recover()).toEqual([]);
  });

  it('still waits when the run resumes first, and the policy applies to what follows', async () => {
    const agent = agentOf([[calls('echo', { value: 'one' })], [calls('echo', { value: 'two' })], 'Done.'], {
      tools: [echo],
    });
    const first = runtimeOf({ agent, approvals: gated });
    await untilAsked(first.query('Hi', { threadId: 't' }));
    await first.close();
    const second = runtimeOf({ agent, approvals: gated, storage: first.storage });
    await second.recover();
    const answered: string[] = [];
    const events = await readAll(second.watch('t'), async event => {
      if (!isAsked(event)) return;
      answered.push(event.data.id);
      await second.respondToApproval(event.data.id, 'approve');
    });
    expect(answered).toHaveLength(2);
    expect(typesOf(events).filter(type => type === 'approval-decision')).toHaveLength(2);
  });

  it('of a run that cannot go on is refused', async () => {
    const asking = scriptedAgent('main', async function* ({ event, answer }) {
      yield event('relay', { id: 'tea', relayKind: 'question', question: 'Tea?' } as never);
      await answer('tea');
    });
    const first = runtimeOf({ agent: asking });
    const id = await untilAsked(first.query('Hi', { threadId: 't' }));
    await first.close();
    const second = runtimeOf({ agent: asking, storage: first.storage });
    expect(await second.pendingApprovals()).toHaveLength(1);
    expect(await second.recover()).toEqual([]);
    expect(await second.pendingApprovals()).toEqual([]);
    await expect(second.respondToApproval(id, 'approve', { answer: 'Yes' })).rejects.toMatchObject({
      code: 'relay_resolved',
    });
    expect((await readAll(second.watch('t'))).find(({ type }) => type === 'finish')).toMatchObject({
      finishReason: 'interrupted',
    });
  });

  it('of another resource is left alone', async () => {
    const first = runtimeOf({ agent: echoing(), approvals: gated });
    const id = await untilAsked(first.query('Hi', { threadId: 't' }));
    await first.close();
    const other = runtimeOf({ agent: echoing(), storage: first.storage, resourceId: 'other' });
    expect(await other.recover()).toEqual([]);
    await expect(other.respondToApproval(id, 'approve')).rejects.toMatchObject({ code: 'relay_foreign' });
  });
});

describe('an approval that must be given in time', () => {
  const timed: RuntimeOptions['approvals'] = { ...gated, timeoutMs: 60_000 };

  it('says until when, and is rejected as expired then', async () => {
    const clock = new ManualClock();
    const runtime = runtimeOf({ agent: echoing(), approvals: timed, clock });
    const id = await untilAsked(runtime.query('Hi', { threadId: 't' }));
    expect(await runtime.pendingApprovals()).toMatchObject([{ payload: { expiresAt: '1970-01-01T00:01:00.000Z' } }]);
    await vi.waitFor(() => expect(clock.timers).toBe(1));
    clock.advance(60_000);
    const events = await readAll(runtime.watch('t'));
    expect(events.find(({ type }) => type === 'approval-decision')).toEqual({
      type: 'approval-decision',
      data: { id, outcome: { outcome: 'reject' }, feedback: 'Nobody answered in time.' },
    });
    expect(resultOf(events)).toMatchObject({ result: { status: 'denied', reason: 'Nobody answered in time.' } });
    await expect(runtime.respondToApproval(id, 'approve')).rejects.toMatchObject({ code: 'relay_expired' });
  });

  it('leaves no timer behind when it was given', async () => {
    const clock = new ManualClock();
    const runtime = runtimeOf({ agent: echoing(), approvals: timed, clock });
    const id = await untilAsked(runtime.query('Hi', { threadId: 't' }));
    clock.advance(59_999);
    await runtime.respondToApproval(id, 'approve');
    expect(resultOf(await readAll(runtime.watch('t')))).toMatchObject({ result: { echo: 'hi' } });
    expect(clock.timers).toBe(0);
  });

  it('expires also while no process runs the agent', async () => {
    const clock = new ManualClock();
    const options = { agent: echoing(), approvals: timed, clock };
    const first = runtimeOf(options);
    const id = await untilAsked(first.query('Hi', { threadId: 't' }));
    await first.close();
    clock.advance(60_001);
    const second = runtimeOf({ ...options, storage: first.storage });
    expect(await second.pendingApprovals()).toEqual([]);
    await expect(second.respondToApproval(id, 'approve')).rejects.toMatchObject({ code: 'relay_expired' });
    await second.recover();
    expect(resultOf(await readAll(second.watch('t')))).toMatchObject({ result: { status: 'denied' } });
  });

  it('expires in the process that resumes the run', async () => {
    const clock = new ManualClock();
    const options = { agent: echoing(), approvals: timed, clock };
    const first = runtimeOf(options);
    await untilAsked(first.query('Hi', { threadId: 't' }));
    await first.close();
    const second = runtimeOf({ ...options, storage: first.storage });
    await second.recover();
    // One of the approval, and one for the next search for runs without an owner.
    await vi.waitFor(() => expect(clock.timers).toBe(2));
    clock.advance(60_000);
    expect(resultOf(await readAll(second.watch('t')))).toMatchObject({
      result: { status: 'denied', reason: 'Nobody answered in time.' },
    });
  });
});
