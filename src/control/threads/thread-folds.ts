import type { EventLog, Thread } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import type { Fold } from '../../projections/fold.ts';
import { isOwnEvent } from '../../log/own-events.ts';
import { threadDigest, type ThreadDigest } from '../../projections/thread-digest.ts';

type ListedThread = Pick<Thread, 'id' | 'createdAt' | 'seq'>;

/** A state, and the newest event it has. */
export interface FoldedThread<State> {
  readonly state: State;
  readonly seq: number;
}

export interface ThreadFoldsOptions<State, Of extends ListedThread> {
  /** How many threads are cached; 2,000 by default. */
  readonly most?: number;
  /** Where the reading of a thread begins; before its first event by default. */
  readonly startOf?: (thread: Of) => FoldedThread<State> | Promise<FoldedThread<State>>;
}

/** Caches a fold of the threads that were used last: a thread that was read before costs only its new events. */
export class ThreadFolds<State, View, Of extends ListedThread = ListedThread> {
  readonly #log: EventLog;
  readonly #fold: Fold<State, View>;
  readonly #options: ThreadFoldsOptions<State, Of>;
  /** By when they were used, the latest last. */
  readonly #cached = new Map<string, FoldedThread<State>>();

  constructor(log: EventLog, fold: Fold<State, View>, options: ThreadFoldsOptions<State, Of> = {}) {
    this.#log = log;
    this.#fold = fold;
    this.#options = options;
  }

  /** Returns the view of all events of a thread; rejects with `thread_not_found` when it is deleted. */
  async of(thread: Of): Promise<View> {
    const { initial, step, view } = this.#fold;
    const { startOf = () => ({ state: initial, seq: 0 }) } = this.#options;
    let { state, seq } = this.#cached.get(toKey(thread)) ?? (await startOf(thread));
    for await (const event of readEvents(this.#log, thread.id, seq)) {
      state = step(state, event);
      seq = event.seq;
    }
    this.#cache(toKey(thread), { state, seq });
    return view(state);
  }

  /** Returns the view of a thread that was just listed; reads nothing when it has the newest event already. */
  async ofListed(thread: Of): Promise<View> {
    const cached = this.#cached.get(toKey(thread));
    return cached !== undefined && cached.seq >= thread.seq ? this.#fold.view(cached.state) : this.of(thread);
  }

  #cache(key: string, folded: FoldedThread<State>): void {
    const { most = 2000 } = this.#options;
    const other = this.#cached.get(key);
    this.#cached.delete(key);
    this.#cached.set(key, other !== undefined && other.seq > folded.seq ? other : folded);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > most && oldest !== undefined) this.#cached.delete(oldest);
  }
}

/** The id of a deleted thread may be used again. */
function toKey({ id, createdAt }: ListedThread): string {
  return `${createdAt} ${id}`;
}

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
