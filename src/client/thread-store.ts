import type { LoggedEvent } from '../events/vocabulary.ts';
import { optionsCheck } from '../base/options/check-options.ts';
import { field } from '../base/options/option-fields.ts';
import { backoffMs, timerDelay } from './backoff.ts';
import type { Client } from './client.ts';
import { type LoadedReading, ThreadRanges } from '../projections/reading/ranges/thread-ranges.ts';
import { isRefusal } from './watch.ts';
import type { WindowOfThread, WindowPart } from '../projections/reading/ranges/thread-window.ts';

/** The minimum time between two notifications of listeners, in milliseconds. */
const frameMs = 16;

/** The state of a thread at one moment. It is immutable: every change produces a new object. */
export interface ThreadSnapshot extends LoadedReading {
  /** Whether nothing was read yet. */
  readonly isLoading: boolean;
  /** Whether the event stream is connected. */
  readonly isConnected: boolean;
  /** Whether the connection was lost and is being retried. */
  readonly isReconnecting: boolean;
  /** The error that ended the connection being retried, such as an error response of the server. */
  readonly lostBy?: unknown;
  /** The error with which the server refused further events. */
  readonly error?: unknown;
}

export interface ThreadStoreOptions {
  /**
   * Starts with about this many of the newest events and keeps at most a few thousand, so that memory does not grow
   * with the thread. When absent, all events are read and kept.
   */
  readonly window?: number;
}

/** A thread that is followed; it fits `useSyncExternalStore`. */
export interface ThreadStore {
  /** Calls the listener after each change. Returns an unsubscribe function. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The same object until something changes. */
  readonly getSnapshot: () => ThreadSnapshot;
  /**
   * Reads a window of earlier events; resolves when the snapshot has them. Later ones are dropped when there are too
   * many. Rejects when the server cannot be reached.
   */
  loadEarlier(): Promise<void>;
  /** Reads a window of later events, when an earlier part is shown; earlier ones are dropped when there are too many. */
  loadLater(): Promise<void>;
  /** Shows the part of the thread around an event; resolves when the snapshot has it. */
  goTo(seq: number): Promise<void>;
  /** Shows the newest messages. */
  goToEnd(): void;
  /** The event of a seq, when it is loaded. */
  eventAt(seq: number): LoggedEvent | undefined;
  /** Reports the visible event; undefined when the reader follows the newest. Distant events are dropped. */
  look(seq: number | undefined): void;
  /** Keeps the event of a seq and all later events loaded, for a reader that has not shown them yet. */
  hold(seq: number): void;
  /** Stops following. */
  close(): void;
}

const checkOptions = optionsCheck<ThreadStoreOptions>('createThreadStore')(() => ({
  window: field(value => Number.isInteger(value) && (value as number) > 0, 'a number of events above 0').optional(),
}));

/** Follows a thread and folds its events; events that arrive together notify listeners once. */
export function createThreadStore(
  client: Pick<Client, 'watch' | 'readWindow'>,
  threadId: string,
  options: ThreadStoreOptions = {},
): ThreadStore {
  checkOptions(options);
  const { window: limit } = options;
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  const { signal } = stop;
  let isLoading = true;
  let isConnected = false;
  let isReconnecting = false;
  let lostBy: unknown;
  let failure: { readonly error: unknown } | undefined;
  let snapshot: ThreadSnapshot | undefined;
  let isScheduled = false;

  const changed = () => {
    snapshot = undefined;
    if (isScheduled || signal.aborted) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      for (const listener of listeners) listener();
      // Drop after the loaded pages were shown, so that a list changes only at one end at a time.
      if (ranges.drop()) changed();
    }, frameMs);
  };
  const ranges = new ThreadRanges({ read: part => client.readWindow(threadId, part), limit, signal, changed });
  const onConnection = (connected: boolean, error?: unknown) => {
    lostBy = connected ? undefined : error;
    isConnected = connected;
    isReconnecting = !connected;
    if (connected) isLoading = false;
    changed();
  };
  /** Reads a window when the server can be reached; rejects when it refuses. */
  const readEventually = async (request: WindowPart): Promise<WindowOfThread | undefined> => {
    for (let failures = 0; !signal.aborted; failures++)
      try {
        return await client.readWindow(threadId, request);
      } catch (error) {
        if (isRefusal(error)) throw error;
        onConnection(false, error);
        await timerDelay(backoffMs(failures, Math.random()), signal);
      }
    return undefined;
  };
  const follow = async () => {
    try {
      const begun = limit === undefined ? undefined : await readEventually({ limit });
      if (begun !== undefined) {
        isLoading = false;
        ranges.begin(begun);
      }
      const watched = { signal, onConnection, waitForServer: true, after: begun?.lastSeq ?? 0 };
      for await (const event of client.watch(threadId, watched)) ranges.take(event);
    } catch (error) {
      failure = { error };
      isLoading = false;
      changed();
    }
  };
  void follow();

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    getSnapshot() {
      // `Object.assign` instead of a spread, which would evaluate the getter of all messages.
      snapshot ??= Object.assign(ranges.view(), { isLoading, isConnected, isReconnecting, lostBy, ...failure });
      return snapshot;
    },
    loadEarlier: () => ranges.loadEarlier(),
    loadLater: () => ranges.loadLater(),
    goTo: seq => ranges.goTo(seq),
    goToEnd: () => ranges.goToEnd(),
    eventAt: seq => ranges.eventAt(seq),
    look: seq => ranges.look(seq),
    hold: seq => ranges.hold(seq),
    close() {
      listeners.clear();
      stop.abort();
    },
  };
}
