import { describe, expect, it } from 'vitest';
import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { importThread } from '../../log/jsonl.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import type { ReadRange, Thread } from '../../log/event-log.ts';
import { RelayBooks } from './relay-books.ts';

/** A log in memory that notes how many events were read. */
class CountingLog extends MemoryLog {
  count = 0;
  override async read(threadId: string, range?: ReadRange): Promise<LoggedEvent[]> {
    const page = await super.read(threadId, range);
    this.count += page.length;
    return page;
  }
}

const ask = (id: string): AgentEvent => ({ type: 'relay', runId: 'r', id, relayKind: 'question', question: id });
const answer = (relayId: string): AgentEvent => ({ type: 'relay_resolved', runId: 'r', relayId, outcome: 'answer' });
const setUp = async (...events: AgentEvent[]) => {
  const log = new CountingLog();
  const { id } = await log.createThread();
  await log.append(id, events);
  const thread = async (): Promise<Thread> => (await log.getThread(id)) as Thread;
  const books = new RelayBooks(log);
  const pending = async () => (await books.of(await thread())).pending.map(each => each.id);
  return { log, id, books, thread, pending };
};

describe('the relay books of a log', () => {
  it('read of a thread only what is new since the last time', async () => {
    const { log, id, pending } = await setUp(ask('a'), ask('b'), answer('a'));
    expect(await pending()).toEqual(['b']);
    log.count = 0;
    await log.append(id, [answer('b'), ask('c')]);
    expect(await pending()).toEqual(['c']);
    expect(log.count).toBe(2);
  });

  it('leave out what a branch shares with the thread it comes from', async () => {
    const { log, id, books } = await setUp(ask('a'));
    const child = await log.branch(id, 1);
    expect((await books.of(child)).get('a')).toBeUndefined();
    await log.append(child.id, [ask('b')]);
    expect((await books.of(child)).pending.map(each => each.id)).toEqual(['b']);
  });

  it('leave out what was imported', async () => {
    const log = new CountingLog();
    const thread = await importThread(log, [JSON.stringify(ask('a'))]);
    expect((await new RelayBooks(log).of(thread)).get('a')).toBeUndefined();
  });

  it('start anew with a thread that has the id of a deleted one, and know nothing of a deleted one', async () => {
    const { log, id, books, thread } = await setUp(ask('a'));
    const before = await thread();
    expect((await books.of(before)).pending).toHaveLength(1);
    await log.deleteThread(id);
    expect((await books.of(before)).pending).toEqual([]);
  });

  it('find pending relays by the index of open things, and read no other thread', async () => {
    const { log, id, books } = await setUp();
    const all = async () => {
      const found: string[] = [];
      for await (const { entry } of books.pending()) found.push(entry.id);
      return found;
    };
    expect(await all()).toEqual([]);
    expect(await books.find('a')).toBeUndefined();
    expect(log.count).toBe(0);
    await log.append(id, [ask('a'), ask('b'), answer('b')]);
    expect(await all()).toEqual(['a']);
    expect(await books.find('a', 'default')).toMatchObject({ thread: { id }, entry: { id: 'a' } });
    expect([await books.find('a', 'other'), await books.find('b')]).toEqual([undefined, undefined]);
  });

  it('list relays again without reading an event, however many threads wait, and one that was asked since with one', async () => {
    const { log, books } = await setUp();
    for (let index = 0; index < 2100; index++) {
      const { id } = await log.createThread({ id: `thread ${index}` });
      await log.append(id, [ask(`relay ${index}`)]);
    }
    const first = await books.list();
    expect([first.length, log.count]).toEqual([2100, 2100]);
    expect([await books.list(), log.count]).toEqual([first, 2100]);
    await log.append('thread 0', [answer('relay 0'), ask('another')]);
    expect([(await books.list()).length, log.count]).toEqual([2100, 2101]);
  });
});
