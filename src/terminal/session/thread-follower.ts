import { isStoreUnavailable, SingletreeError, type LoggedEvent } from '../../events/index.ts';
import type { Clock } from '../../control/index.ts';
import { currentTime } from '../../log/event-time.ts';
import type { EventLog } from '../../log/index.ts';
import { hasExpired, type RelayEntry, type ThreadReading } from '../../projections/index.ts';
import type { EventTimes } from '../rows/times.ts';
import { ThreadView } from './thread-view.ts';

export interface FollowerOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  /** Called after each batch of events. */
  readonly onChange: () => void;
  /** Called when the thread cannot be followed any more; a store that is unavailable for a while is tried again. */
  readonly onLost: (error: unknown) => void;
}

/** How long to wait before the store is tried again, in milliseconds: at first, and at most. */
const retryMs = { first: 500, most: 10_000 };

/** Folds the events of one thread into its reading view, as they come. */
export class ThreadFollower {
  readonly threadId: string;
  readonly #options: FollowerOptions;
  readonly #view: ThreadView;
  readonly #stop = new AbortController();
  readonly #watchers = new Set<(event: LoggedEvent) => void>();

  private constructor(threadId: string, view: ThreadView, options: FollowerOptions) {
    this.threadId = threadId;
    this.#view = view;
    this.#options = options;
  }

  /** Reads the end of a thread and follows it from there. */
  static async open(threadId: string, options: FollowerOptions): Promise<ThreadFollower> {
    const follower = new ThreadFollower(threadId, await ThreadView.open(options.log, threadId), options);
    void follower.#follow();
    return follower;
  }

  get reading(): ThreadReading {
    return this.#view.reading;
  }

  get times(): EventTimes {
    return this.#view.times;
  }

  /** Whether messages before the window exist. */
  get hasEarlier(): boolean {
    return this.#view.hasEarlier;
  }

  /** What waits for the person now, oldest first. */
  get pending(): readonly RelayEntry[] {
    const now = currentTime(this.#options.log);
    return this.reading.pending.filter(({ relay }) => !hasExpired(relay, now));
  }

  /** Calls back with every event that follows. Returns an unsubscribe function. */
  watch(watcher: (event: LoggedEvent) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  close(): void {
    this.#stop.abort();
  }

  async #follow(): Promise<void> {
    const { onLost } = this.#options;
    const { signal } = this.#stop;
    for (;;)
      try {
        await this.#read();
        if (!signal.aborted) onLost(new SingletreeError('log_closed', 'The store of this thread was closed.'));
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isStoreUnavailable(error)) return onLost(error);
        await this.#reached();
      }
  }

  async #read(): Promise<void> {
    const { log, onChange } = this.#options;
    const tail = log.tail(this.threadId, this.#view.seq, { signal: this.#stop.signal });
    for await (const event of tail) {
      this.#take(event);
      for (let next = tail.take?.(); next !== undefined; next = tail.take?.()) this.#take(next);
      onChange();
    }
  }

  /** Resolves when the store can be reached again, or the thread is not followed any more. */
  async #reached(): Promise<void> {
    const { log, clock } = this.#options;
    for (let ms = retryMs.first; !this.#stop.signal.aborted; ms = Math.min(2 * ms, retryMs.most)) {
      await new Promise<void>(resolve => void clock.after(ms, resolve));
      const isReached = await log.getThread(this.threadId).then(
        () => true,
        error => !isStoreUnavailable(error),
      );
      if (isReached) return;
    }
  }

  #take(event: LoggedEvent): void {
    this.#view.take(event);
    for (const watcher of this.#watchers) watcher(event);
  }
}
