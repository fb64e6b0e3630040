import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { allThreads } from '../all-threads.ts';
import type { EventLog, Thread } from '../event-log.ts';
import { nextTurn } from '../next-turn.ts';
import { ThreadCopy } from './copy-thread.ts';

/** The store that a copy goes to, and its clock, which the copy sets: threads keep their times. */
export interface CopyTarget {
  readonly log: EventLog;
  readonly setTime: (ms: number) => void;
}

/** How far a copy is. */
export interface CopyProgress {
  /** How many threads the source has. */
  threads: number;
  /** How many of them are copied, those that were there already included. */
  done: number;
  /** How many threads were there already and have not changed. */
  unchanged: number;
  events: number;
  rawLines: number;
}

/**
 * Copies every thread of a store to another one: events byte for byte, raw lines, metadata, times, idempotency keys, and
 * branches by reference; not leases. A copy that was interrupted, or is made again later, adds what is missing. Rejects
 * with `thread_exists` when the target has another thread under the id of one of the source.
 */
export async function copyStore(
  source: EventLog,
  target: CopyTarget,
  onProgress: (progress: Readonly<CopyProgress>) => void = () => {},
): Promise<CopyProgress> {
  return new StoreCopy(source, target, onProgress).run();
}

/** Marks a thread of the target that represents a deleted one until the copy ends. */
const deletedMark = 'copy:deleted';

class StoreCopy {
  readonly #source: EventLog;
  readonly #target: CopyTarget;
  readonly #onProgress: (progress: Readonly<CopyProgress>) => void;
  readonly #progress: CopyProgress = { threads: 0, done: 0, unchanged: 0, events: 0, rawLines: 0 };
  /** Every thread that is not copied yet, with the thread that it branched from. */
  readonly #waiting = new Map<string, string | undefined>();
  /** Threads that the source has only for their branches: they are made, branched from, and deleted again. */
  #deleted = new Set<string>();

  constructor(source: EventLog, target: CopyTarget, onProgress: (progress: Readonly<CopyProgress>) => void) {
    this.#source = source;
    this.#target = target;
    this.#onProgress = onProgress;
  }

  async run(): Promise<CopyProgress> {
    for await (const { id, branchedFrom } of allThreads(this.#source)) this.#waiting.set(id, branchedFrom?.threadId);
    this.#progress.threads = this.#waiting.size;
    const parents = new Set(this.#waiting.values());
    this.#deleted = new Set([...parents].filter(id => id !== undefined && !this.#waiting.has(id))) as Set<string>;
    for (const id of this.#waiting.keys()) for (const each of this.#withParents(id)) await this.#copy(each);
    for (const id of this.#deleted) if (await this.#isMadeHere(id)) await this.#target.log.deleteThread(id);
    await this.#index();
    return this.#progress;
  }

  /** Indexes the copied events, so that the first search in the target finds all of them. */
  async #index(): Promise<void> {
    const { log } = this.#target;
    while ((await log.indexSome?.())?.hasMore === true) await nextTurn();
  }

  /** The thread, after those that it branched from and that are not copied yet. */
  #withParents(id: string): string[] {
    const chain: string[] = [];
    for (let at: string | undefined = id; at !== undefined && this.#waiting.has(at); ) {
      const parent: string | undefined = this.#waiting.get(at);
      this.#waiting.delete(at);
      chain.unshift(at);
      at = parent;
    }
    return chain;
  }

  async #copy(id: string): Promise<void> {
    const thread = await this.#source.getThread(id);
    const there = await this.#target.log.getThread(id);
    if (thread !== undefined) {
      if (there !== undefined && isSame(thread, there)) this.#progress.unchanged++;
      else await this.#copyChanged(thread, there);
    }
    this.#progress.done++;
    this.#onProgress(this.#progress);
  }

  async #copyChanged(thread: Thread, there: Thread | undefined): Promise<void> {
    const { log, setTime } = this.#target;
    const { id, title, metadata } = thread;
    setTime(Date.parse(thread.createdAt));
    const begun = there ?? (await this.#begin(thread));
    await new ThreadCopy(this.#source, log, thread).run(begun, this.#count);
    const removed = Object.keys(begun.metadata).filter(key => !(key in metadata));
    const changes = { ...metadata, ...Object.fromEntries(removed.map(key => [key, null])) };
    // Last of all: it marks the copy as complete, and runs that it names may be resumed from then on.
    setTime(Date.parse(thread.updatedAt));
    await log.updateThread(id, { ...defined({ title }), metadata: changes });
  }

  readonly #count = ({ events = 0, rawLines = 0 }): void => {
    this.#progress.events += events;
    this.#progress.rawLines += rawLines;
    this.#onProgress(this.#progress);
  };

  /** Creates the thread in the target, without its own events. */
  async #begin(thread: Thread): Promise<Thread> {
    const { log } = this.#target;
    const { id, resourceId, title, branchedFrom, importedSeq } = thread;
    const names = { id, resourceId, ...defined({ title }) };
    if (branchedFrom !== undefined && (await this.#hasParent(thread, branchedFrom)))
      return log.branch(branchedFrom.threadId, branchedFrom.seq, names);
    return log.createThread({ ...names, imported: importedSeq !== undefined });
  }

  /** Whether the target has the events that a branch shares; those of a deleted thread are copied from the branch. */
  async #hasParent(branch: Thread, { threadId, seq }: { threadId: string; seq: number }): Promise<boolean> {
    if (this.#deleted.has(threadId)) await this.#copyDeleted(branch, threadId, seq);
    return this.#isShared(branch.id, threadId, seq);
  }

  /** Copies the events that a branch shares with a deleted thread, unless its id is used by another one. */
  async #copyDeleted(branch: Thread, threadId: string, seq: number): Promise<void> {
    const { log } = this.#target;
    if ((await log.getThread(threadId)) === undefined) {
      const { importedSeq, resourceId } = branch;
      const imported = importedSeq !== undefined;
      await log.createThread({ id: threadId, resourceId, imported, metadata: { [deletedMark]: true } });
    }
    const there = await log.getThread(threadId);
    if (there === undefined || there.seq >= seq || !(await this.#isMadeHere(threadId))) return;
    await new ThreadCopy(this.#source, log, { ...branch, seq }, threadId).run(there, this.#count);
  }

  async #isMadeHere(id: string): Promise<boolean> {
    return (await this.#target.log.getThread(id))?.metadata[deletedMark] === true;
  }

  /** Whether the event at a seq of a thread of the source is that of a thread of the target: ids are used again. */
  async #isShared(id: string, parentId: string, seq: number): Promise<boolean> {
    if (seq === 0) return (await this.#target.log.getThread(parentId)) !== undefined;
    const range = { after: seq - 1, limit: 1 };
    const [own] = await this.#source.readTexts(id, range);
    const [shared] = await this.#target.log.readTexts(parentId, range).catch((error: unknown) => {
      if (SingletreeError.is(error, 'thread_not_found')) return [];
      throw error;
    });
    return own !== undefined && own === shared;
  }
}

function isSame(thread: Thread, there: Thread): boolean {
  const { seq, updatedAt, title, metadata } = thread;
  return (
    there.seq === seq &&
    there.updatedAt === updatedAt &&
    there.title === title &&
    isDeepStrictEqual(there.metadata, metadata)
  );
}
