import type { EventLog, Thread } from '../log/event-log.ts';
import { readEvents } from '../log/read-events.ts';
import type { Fold } from '../projections/fold.ts';

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
    let { state, seq } = this.#cached.get(keyOf(thread)) ?? (await startOf(thread));
    for await (const event of readEvents(this.#log, thread.id, seq)) {
      state = step(state, event);
      seq = event.seq;
    }
    this.#cache(keyOf(thread), { state, seq });
    return view(state);
  }

  /** Returns the view of a thread that was just listed; reads nothing when it has the newest event already. */
  async ofListed(thread: Of): Promise<View> {
    const cached = this.#cached.get(keyOf(thread));
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
function keyOf({ id, createdAt }: ListedThread): string {
  return `${createdAt} ${id}`;
}
