import type * as z from 'zod';
import type { LoggedEvent } from '../events/index.ts';
import { optionsCheck } from '../events/options/check-options.ts';
import { field } from '../events/options/option-fields.ts';
import type { Conversation } from '../graph/index.ts';
import { type ThreadReading, threadReading } from '../projections/reading/thread-reading.ts';
import { backoffMs, timerDelay } from './backoff.ts';
import type { Client } from './client.ts';
import { ReadPart } from './read-part.ts';
import { isRefusal } from './watch.ts';
import type { WindowOfThread, WindowPart } from './window.ts';

/** Listeners hear at most once in this time, in milliseconds. */
const frameMs = 16;
/** How many earlier windows are read to place an event that is about something earlier. */
const mostCorrections = 3;

/** What is known of a thread at one moment. It never changes: a later moment is another object. */
export interface ThreadSnapshot extends ThreadReading {
  readonly conversation: Conversation;
  /** Whether events come in right now. */
  readonly isConnected: boolean;
  /** Whether the connection was lost and is tried again. */
  readonly isReconnecting: boolean;
  /** Whether there are earlier events that were not read: `loadEarlier` reads some. */
  readonly hasEarlier: boolean;
  /** Why no more events come, when the server refused them. */
  readonly error?: unknown;
}

export interface ThreadStoreOptions {
  /**
   * Begins with about this many of the newest events, and keeps at most some thousand: memory does not grow with the
   * thread. All events are read and kept when absent.
   */
  readonly window?: number;
}

/** A thread that is followed; it fits `useSyncExternalStore`. */
export interface ThreadStore {
  /** Calls back after each change; returns what ends that. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The same object until something changes. */
  readonly getSnapshot: () => ThreadSnapshot;
  /** Reads a window of earlier events; resolves when the snapshot has them. Rejects when the server cannot be reached. */
  loadEarlier(): Promise<void>;
  /** Stops following. */
  close(): void;
}

const checkOptions = optionsCheck(
  'createThreadStore',
  () =>
    ({
      window: field(value => Number.isInteger(value) && (value as number) > 0, 'a number of events above 0').optional(),
    }) satisfies Record<keyof ThreadStoreOptions, z.ZodType>,
);

/** Follows a thread and folds its events; listeners hear once of those that come together. */
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
  const part = new ReadPart(limit);
  let isConnected = false;
  let isReconnecting = false;
  let failure: { readonly error: unknown } | undefined;
  let snapshot: ThreadSnapshot | undefined;
  let isScheduled = false;
  let loading: Promise<void> | undefined;
  let corrections = 0;

  const changed = () => {
    snapshot = undefined;
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      for (const listener of listeners) listener();
    }, frameMs);
  };
  const take = (event: LoggedEvent) => {
    part.take(event);
    correct();
    changed();
  };
  const onConnection = (connected: boolean) => {
    isConnected = connected;
    isReconnecting = !connected;
    changed();
  };
  /** Reads a window when the server can be reached; rejects when it refuses. */
  const readEventually = async (request: WindowPart): Promise<WindowOfThread | undefined> => {
    for (let failures = 0; !signal.aborted; failures++)
      try {
        return await client.readWindow(threadId, request);
      } catch (error) {
        if (isRefusal(error)) throw error;
        onConnection(false);
        await timerDelay(backoffMs(failures, Math.random()), signal);
      }
    return undefined;
  };
  const loadEarlier = async () => {
    if (part.firstSeq <= 1) return;
    const before = part.firstSeq;
    const earlier = await client.readWindow(threadId, { before, ...(limit !== undefined && { limit }) });
    // The oldest events may have been dropped meanwhile.
    if (signal.aborted || part.firstSeq !== before) return;
    part.addEarlier(earlier);
    changed();
  };
  const loadOnce = () => (loading ??= loadEarlier().finally(() => (loading = undefined)));
  /** Reads earlier events while something cannot be placed without them. */
  const correct = () => {
    if (!part.state.isOutdated) corrections = 0;
    if (!part.state.isOutdated || corrections >= mostCorrections || part.firstSeq <= 1 || loading !== undefined) return;
    corrections++;
    loadOnce().then(correct, () => {});
  };
  const follow = async () => {
    try {
      const begun = limit === undefined ? undefined : await readEventually({ limit });
      if (begun !== undefined) {
        part.addEarlier(begun);
        correct();
        changed();
      }
      const watched = { signal, onConnection, waitForServer: true, after: begun?.lastSeq ?? 0 };
      for await (const event of client.watch(threadId, watched)) take(event);
    } catch (error) {
      failure = { error };
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
      // Assigned, not spread: a spread would make the list of all messages.
      snapshot ??= Object.assign(threadReading.view(part.state), {
        conversation: part.state.conversation,
        isConnected,
        isReconnecting,
        hasEarlier: part.firstSeq > 1,
        ...failure,
      });
      return snapshot;
    },
    loadEarlier: loadOnce,
    close() {
      listeners.clear();
      stop.abort();
    },
  };
}
