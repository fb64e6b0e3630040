import { describe, expect, it } from 'vitest';
import { scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { type EventLog, MemoryLog } from '../../log/index.ts';
import { Supervisor } from '../index.ts';

const asking = scriptedAgent('asking', async function* ({ event, answer }) {
  yield event('relay', { id: 'first', relayKind: 'question', question: 'One?' });
  await answer('first');
  yield event('relay', { id: 'second', relayKind: 'question', question: 'Two?' });
  yield event('relay_resolved', { relayId: 'second', outcome: 'cancelled' });
  yield event('relay', { id: 'third', relayKind: 'question', question: 'Three?' });
  await answer('third');
});

async function setUp() {
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread();
  const supervisor = new Supervisor({ log, agents: [asking] });
  const run = await supervisor.start(threadId, { agent: asking, content: 'Go' });
  return { log, threadId, supervisor, run };
}

async function notedWhen(log: EventLog, threadId: string, relayId: string): Promise<string[]> {
  for await (const event of log.tail(threadId)) if (event.type === 'relay' && event.id === relayId) break;
  const threads = await log.listThreads({ pendingRelays: true });
  return threads.flatMap(({ metadata }) => Object.keys(metadata).filter(key => key.startsWith('relay:')));
}

describe('the note of a pending relay', () => {
  it('exists from the append of the relay to the append that resolves it', async () => {
    const { log, threadId, supervisor, run } = await setUp();
    expect(await notedWhen(log, threadId, 'first')).toEqual(['relay:first']);
    await supervisor.answer(threadId, 'first', { outcome: 'answer', answer: 'yes' });
    expect(await notedWhen(log, threadId, 'third')).toEqual(['relay:third']);
    await supervisor.answer(threadId, 'third', { outcome: 'answer', answer: 'yes' });
    expect(await run.done).toBe('complete');
    expect(await log.listThreads({ pendingRelays: true })).toEqual([]);
  });

  it('is removed when the run is aborted', async () => {
    const { log, threadId, supervisor, run } = await setUp();
    expect(await notedWhen(log, threadId, 'first')).toEqual(['relay:first']);
    await supervisor.abort(run.runId);
    expect(await log.listThreads({ pendingRelays: true })).toEqual([]);
  });

  it('is written for an open run that another process left without one, when it is taken over', async () => {
    const log = new MemoryLog();
    const { id: threadId } = await log.createThread();
    const open = { runId: 'r', agentId: 'asking', parentId: 'u:user' };
    await log.append(threadId, [{ type: 'user', runId: 'u', content: 'Go' }], { metadata: { 'run:r': open } });
    await log.append(threadId, [
      { type: 'harness_start', runId: 'r', agentId: 'asking', parentId: 'u:user' },
      { type: 'relay', runId: 'r', id: 'first', relayKind: 'question', question: 'One?' },
    ]);
    const waiting = { ...asking, resumable: true, invoke: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) };
    const next = () => new Promise<IteratorResult<never>>(() => {});
    const supervisor = new Supervisor({ log, agents: [waiting] });
    await supervisor.recover();
    expect(await notedWhen(log, threadId, 'first')).toEqual(['relay:first']);
    await supervisor.close();
  });
});
