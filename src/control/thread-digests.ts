import type { EventLog, Thread } from '../log/event-log.ts';
import { isOwnEvent } from '../log/own-events.ts';
import { threadDigest, type ThreadDigest } from '../projections/thread-digest.ts';
import { type FoldedThread, ThreadFolds } from './thread-folds.ts';

type State = typeof threadDigest.initial;

/** Caches the digests of threads: one that was read before costs only its new events, another one those of a window. */
export class ThreadDigests {
  readonly #log: EventLog;
  readonly #folds: ThreadFolds<State, ThreadDigest>;

  constructor(log: EventLog) {
    this.#log = log;
    this.#folds = new ThreadFolds(log, threadDigest, { startOf: ({ id, seq }) => this.#start(id, seq) });
  }

  /** Returns the digest of a thread; an empty one when it is deleted meanwhile. */
  of(thread: Pick<Thread, 'id' | 'createdAt' | 'seq'>): Promise<ThreadDigest> {
    return this.#folds.ofListed(thread).catch(() => threadDigest.view(threadDigest.initial));
  }

  /** Returns the folder that a thread was started in, else that of its newest run. */
  async findStartFolder(thread: Thread): Promise<string | undefined> {
    const { cwd } = thread.metadata;
    return typeof cwd === 'string' ? cwd : this.findFolder(thread);
  }

  /** Returns the directory that the newest run of a thread works in; one that only an import states is not used. */
  async findFolder(thread: Thread): Promise<string | undefined> {
    const { folder, folderSeq = 0 } = await this.of(thread);
    return isOwnEvent(thread, folderSeq) ? folder : undefined;
  }

  /** Begins with the newest outline that is stored, so that a long thread is not read whole. */
  async #start(threadId: string, seq: number): Promise<FoldedThread<State>> {
    const outline = await this.#log.outlineAt?.(threadId, seq).catch(() => undefined);
    if (outline === undefined) return { state: threadDigest.initial, seq: 0 };
    const begun = outline.events.reduce(threadDigest.step, threadDigest.initial);
    return { state: { ...begun, usage: outline.usage }, seq: outline.seq };
  }
}
