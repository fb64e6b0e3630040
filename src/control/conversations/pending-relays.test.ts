import { describe, expect, it } from 'vitest';
import { scriptedAgent } from '../../../test/support/scripted-agent.ts';
import type { EventLog } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from '../supervision/supervisor.ts';

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

async function openWhen(log: EventLog, threadId: string, relayId: string): Promise<string[]> {
  for await (const event of log.tail(threadId)) if (event.type === 'relay' && event.id === relayId) break;
  const threads = await log.listThreads({ open: 'relay' });
  return threads.flatMap(({ open = [] }) => open.flatMap(({ kind, id }) => (kind === 'relay' ? [id] : [])));
}

describe('a pending relay', () => {
  it('is in the index from the append of the relay to the append that resolves it', async () => {
    const { log, threadId, supervisor, run } = await setUp();
    expect(await openWhen(log, threadId, 'first')).toEqual(['first']);
    await supervisor.answer(threadId, 'first', { outcome: 'answer', answer: 'yes' });
    expect(await openWhen(log, threadId, 'third')).toEqual(['third']);
    await supervisor.answer(threadId, 'third', { outcome: 'answer', answer: 'yes' });
    expect(await run.done).toBe('complete');
    expect(await log.listThreads({ open: 'relay' })).toEqual([]);
  });

  it('is closed when the run is aborted', async () => {
    const { log, threadId, supervisor, run } = await setUp();
    expect(await openWhen(log, threadId, 'first')).toEqual(['first']);
    await supervisor.abort(run.runId);
    expect(await log.listThreads({ open: 'relay' })).toEqual([]);
  });
});
