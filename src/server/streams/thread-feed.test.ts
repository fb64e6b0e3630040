import { describe, expect, it, vi } from 'vitest';
import { createRedactor } from '../../agents/redaction/redactor.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { type FeedReader, type Frame, ThreadFeeds } from './thread-feed.ts';

class Notes implements FeedReader {
  readonly seqs: number[] = [];
  ended: unknown[] = [];
  bytes = 0;
  most = 0;
  take(frames: readonly Frame[], bytes: Uint8Array): void {
    this.seqs.push(...frames.map(({ seq }) => seq));
    this.bytes += bytes.length;
    this.most = Math.max(this.most, frames.length);
  }
  end(error?: unknown): void {
    this.ended.push(error);
  }
}

async function open() {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const feeds = new ThreadFeeds({ log, encode: () => new Uint8Array(1), redactor: createRedactor([]) });
  const first = new Notes();
  feeds.join(id, first, 0);
  const append = async (count: number) => {
    for (let index = 0; index < count; index++)
      await log.append(id, [{ type: 'custom', runId: 'r', name: 'note', data: index }]);
    const { seq } = (await log.getThread(id)) ?? { seq: 0 };
    await vi.waitFor(() => expect(first.seqs.at(-1)).toBe(seq));
  };
  return { log, id, feeds, first, append };
}
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('the feed of a thread', () => {
  it('gives a reader that joins what came since it read the log', async () => {
    const { feeds, id, append } = await open();
    await append(20);
    const late = new Notes();
    expect(feeds.join(id, late, 15)).toBe(true);
    await append(2);
    await vi.waitFor(() => expect(late.seqs).toEqual(upTo(16, 22)));
    expect(late.bytes).toBe(7);
  });

  it('sends a reader back to the log when more came than it keeps', async () => {
    const { feeds, id, append } = await open();
    await append(400);
    const late = new Notes();
    expect(feeds.join(id, late, 10)).toBe(false);
    await append(1);
    expect(late.seqs).toEqual([]);
    expect(feeds.join(id, late, 145)).toBe(true);
    expect(late.seqs).toEqual(upTo(146, 401));
  });

  it('takes no more from the log than it can send, and loses nothing', async () => {
    const { log, id, first } = await open();
    const note = { type: 'custom' as const, runId: 'r', name: 'note', data: 1 };
    await log.append(
      id,
      Array.from({ length: 3000 }, () => note),
    );
    await vi.waitFor(() => expect(first.seqs).toHaveLength(3000));
    expect(first.seqs).toEqual(upTo(1, 3000));
    expect(first.most).toBeLessThanOrEqual(256);
  });

  it('ends its readers with the thread or the log, and its tail with the last reader', async () => {
    const { log, feeds, id, first } = await open();
    await log.deleteThread(id);
    await vi.waitFor(() => expect(first.ended).toMatchObject([{ code: 'thread_not_found' }]));
    const other = await open();
    await other.log.close();
    await vi.waitFor(() => expect(other.first.ended).toEqual([undefined]));
    const third = await open();
    const tail = vi.spyOn(third.log, 'tail');
    third.feeds.leave(third.id, third.first);
    third.feeds.join(third.id, third.first, 0);
    expect(tail).toHaveBeenCalledTimes(1);
    feeds.leave(id, first);
  });
});
