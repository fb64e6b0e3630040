import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import type { ReadRange, Thread } from '../../log/event-log.ts';
import type { Fold } from '../../projections/fold.ts';
import { ThreadFolds } from './thread-folds.ts';

/** Lists the seqs it was given. */
const seqs: Fold<readonly number[], readonly number[]> = {
  initial: [],
  step: (state, event) => [...state, (event as LoggedEvent).seq],
  view: state => state,
};

class CountedLog extends MemoryLog {
  /** The seqs of the events that were read, in order. */
  readonly reads: number[] = [];

  override async read(threadId: string, range?: ReadRange): Promise<LoggedEvent[]> {
    const events = await super.read(threadId, range);
    this.reads.push(...events.map(({ seq }) => seq));
    return events;
  }
}

async function scene() {
  const log = new CountedLog();
  const { id } = await log.createThread();
  const append = () => log.append(id, [{ type: 'text', runId: 'r', id: 'r/t', content: 'a' }]);
  const thread = async () => (await log.getThread(id)) as Thread;
  return { log, id, append, thread };
}

describe('the cached folds of threads', () => {
  it('read each event once', async () => {
    const { log, append, thread } = await scene();
    const folds = new ThreadFolds(log, seqs);
    await append();
    expect(await folds.of(await thread())).toEqual([1]);
    await append();
    expect(await folds.of(await thread())).toEqual([1, 2]);
    expect(log.reads).toEqual([1, 2]);
  });

  it('read nothing of a listed thread without new events', async () => {
    const { log, append, thread } = await scene();
    const folds = new ThreadFolds(log, seqs);
    await append();
    expect(await folds.ofListed(await thread())).toEqual([1]);
    expect(await folds.ofListed(await thread())).toEqual([1]);
    expect(log.reads).toEqual([1]);
    await append();
    expect(await folds.ofListed(await thread())).toEqual([1, 2]);
  });

  it('begin at the event that is set', async () => {
    const { log, append, thread } = await scene();
    await append();
    await append();
    const folds = new ThreadFolds(log, seqs, { startOf: () => ({ state: [], seq: 1 }) });
    expect(await folds.of(await thread())).toEqual([2]);
  });

  it('do not show the events of a deleted thread in one with the same id', async () => {
    const { log, id, append, thread } = await scene();
    const folds = new ThreadFolds(log, seqs);
    await append();
    const old = await thread();
    await folds.of(old);
    await log.deleteThread(id);
    await expect(folds.of(old)).rejects.toMatchObject({ code: 'thread_not_found' });
    const other = { ...(await log.createThread({ id })), createdAt: 'later' };
    expect(await folds.of(other)).toEqual([]);
  });

  it('drop the thread that was used longest ago when there are too many', async () => {
    const log = new CountedLog();
    const folds = new ThreadFolds(log, seqs, { most: 1 });
    const [one, two] = [await log.createThread(), await log.createThread()];
    for (const { id } of [one, two]) await log.append(id, [{ type: 'text', runId: 'r', id: 'r/t', content: 'a' }]);
    for (const thread of [one, two, two, one]) await folds.of(thread);
    expect(log.reads).toEqual([1, 1, 1]);
  });
});
