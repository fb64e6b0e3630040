import { createThreadStore, type ThreadStore } from '../../client/thread-store.ts';
import { isStoreUnavailable, SingletreeError } from '../../base/singletree-error.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { Clock } from '../../agents/clock.ts';
import { currentTime } from '../../log/event-time.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readWindow } from '../../log/window.ts';
import { hasExpired, type RelayEntry } from '../../projections/relay-book.ts';
import type { ThreadReading } from '../../projections/reading/thread-reading.ts';
import type { RowContext } from '../rows/part-rows.ts';
import { RowFeed } from '../rows/row-feed.ts';
import type { Row } from '../rows/row.ts';
import { EventTimes } from '../rows/times.ts';

export interface OpenThreadOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  /** The user's folder; paths inside it are shown relative to it. */
  readonly cwd: string;
  /** Further context for drawing rows. */
  readonly rows?: Pick<RowContext, 'density' | 'hint'>;
  /** Called after each change. */
  readonly onChange: () => void;
  /**
   * Called when the thread can no longer be followed; while the store is temporarily unavailable, it is tried again.
   */
  readonly onLost: (error: unknown) => void;
}

/** About how many events of an opened thread are read; earlier messages are read by the transcript. */
const windowEvents = 1_000;
/** How long to wait before the store is tried again, in milliseconds: at first, and at most. */
const retryMs = { first: 500, most: 10_000 };

/** A thread of a log, followed by the client's thread store, with the rows of what is finished and the times of its events. */
export class OpenThread {
  readonly threadId: string;
  readonly times = new EventTimes();
  readonly rows: RowFeed;
  readonly #options: OpenThreadOptions;
  readonly #store: ThreadStore;
  readonly #watchers = new Set<(event: LoggedEvent) => void>();

  private constructor(threadId: string, options: OpenThreadOptions) {
    this.threadId = threadId;
    this.#options = options;
    const { log, cwd, rows } = options;
    this.rows = new RowFeed({ cwd, times: this.times, ...rows });
    let isBegun = false;
    this.#store = createThreadStore(
      {
        readWindow: async (id, part) => {
          const window = await readWindow(log, id, part);
          if (!isBegun) for (const event of window.events) this.times.take(event);
          isBegun = true;
          return window;
        },
        watch: (_, { after = 0, signal, onConnection } = {}) => this.#read(after, signal, onConnection),
      },
      threadId,
      { window: windowEvents },
    );
    this.#store.hold(0);
  }

  /** Reads the end of a thread and follows it from there. */
  static async open(threadId: string, options: OpenThreadOptions): Promise<OpenThread> {
    const thread = new OpenThread(threadId, options);
    const { subscribe, getSnapshot } = thread.#store;
    await new Promise<void>(resolve => {
      const stop = subscribe(() => {
        if (getSnapshot().isLoading) return;
        stop();
        resolve();
      });
    });
    if (getSnapshot().error !== undefined) throw getSnapshot().error;
    subscribe(() => {
      options.onChange();
      if (getSnapshot().error !== undefined) options.onLost(getSnapshot().error);
    });
    return thread;
  }

  get reading(): ThreadReading {
    return this.#store.getSnapshot();
  }

  /** Whether messages before those that are loaded exist. */
  get hasEarlier(): boolean {
    return this.#store.getSnapshot().hasEarlier;
  }

  /** The pending relays that have not expired, oldest first. */
  get pending(): readonly RelayEntry[] {
    const now = currentTime(this.#options.log);
    return this.reading.pending.filter(({ relay }) => !hasExpired(relay, now));
  }

  /** Returns the rows that are finished since the last call; what is not is kept. */
  takeRows(): readonly Row[] {
    const { reading } = this;
    const rows = this.rows.take(reading);
    this.#store.hold(this.rows.openSeq(reading));
    return rows;
  }

  /** Calls `watcher` with every following event. Returns an unsubscribe function. */
  watch(watcher: (event: LoggedEvent) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  close(): void {
    this.#store.close();
  }

  async *#read(
    after: number,
    signal?: AbortSignal,
    onConnection?: (isConnected: boolean) => void,
  ): AsyncGenerator<LoggedEvent> {
    let seq = after;
    const isClosed = () => signal?.aborted === true;
    while (!isClosed())
      try {
        onConnection?.(true);
        for await (const event of this.#options.log.tail(this.threadId, seq, signal && { signal })) {
          seq = event.seq;
          this.times.take(event);
          for (const watcher of this.#watchers) watcher(event);
          yield event;
        }
        if (!isClosed()) throw new SingletreeError('log_closed', 'The store of this thread was closed.');
      } catch (error) {
        if (isClosed()) return;
        if (!isStoreUnavailable(error)) throw error;
        onConnection?.(false);
        await this.#untilReached(signal);
      }
  }

  async #untilReached(signal?: AbortSignal): Promise<void> {
    const { log, clock } = this.#options;
    for (let ms = retryMs.first; signal?.aborted !== true; ms = Math.min(2 * ms, retryMs.most)) {
      await new Promise<void>(resolve => void clock.after(ms, resolve));
      const isReached = await log.getThread(this.threadId).then(
        () => true,
        error => !isStoreUnavailable(error),
      );
      if (isReached) return;
    }
  }
}
