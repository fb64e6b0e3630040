import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../events/index.ts';
import { getMessages } from '../graph/index.ts';
import { MemoryLog } from '../log/index.ts';
import { ThreadMemory } from './thread-memory.ts';

const said = (runId: string): AgentEvent => ({ type: 'user', runId, content: `from ${runId}` });

/** A log that counts the events it reads out. */
class CountingLog extends MemoryLog {
  count = 0;

  override async read(...args: Parameters<MemoryLog['read']>) {
    const events = await super.read(...args);
    this.count += events.length;
    return events;
  }
}

async function setUp(maxEvents?: number) {
  const log = new CountingLog();
  const { id: threadId } = await log.createThread();
  const memory = new ThreadMemory(log, maxEvents);
  const messagesOf = async (id: string) => getMessages((await memory.of(id)).conversation).map(({ runId }) => runId);
  return { log, threadId, memory, messagesOf };
}

describe('the memory of threads', () => {
  it('reads only what came since', async () => {
    const { log, threadId, messagesOf } = await setUp();
    await log.append(threadId, [said('a'), said('b')]);
    expect(await messagesOf(threadId)).toEqual(['a', 'b']);
    await log.append(threadId, [said('c')]);
    expect(await messagesOf(threadId)).toEqual(['a', 'b', 'c']);
    expect(log.count).toBe(3);
  });

  it('takes each event once, also when it is asked twice at once', async () => {
    const { log, threadId, messagesOf } = await setUp();
    await log.append(threadId, [said('a')]);
    expect(await Promise.all([messagesOf(threadId), messagesOf(threadId)])).toEqual([['a'], ['a']]);
    expect(log.count).toBe(1);
  });

  it('forgets a thread that was deleted, whatever takes its place', async () => {
    const { log, threadId, messagesOf } = await setUp();
    await log.append(threadId, [said('a')]);
    expect(await messagesOf(threadId)).toEqual(['a']);
    await log.deleteThread(threadId);
    expect(await messagesOf(threadId)).toEqual([]);
  });

  it('gives up the threads that were not used for longest when it holds too much', async () => {
    const { log, threadId, messagesOf } = await setUp(3);
    const { id: other } = await log.createThread();
    await log.append(threadId, [said('a'), said('b')]);
    await log.append(other, [said('c'), said('d')]);
    await messagesOf(threadId);
    await messagesOf(other);
    expect(await messagesOf(other)).toEqual(['c', 'd']);
    expect(log.count).toBe(4);
    expect(await messagesOf(threadId)).toEqual(['a', 'b']);
    expect(log.count).toBe(6);
  });
});
