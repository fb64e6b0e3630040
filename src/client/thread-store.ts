import type { LoggedEvent } from '../events/index.ts';
import type { Conversation } from '../graph/index.ts';
import { type ThreadReading, threadReading } from '../projections/reading/thread-reading.ts';
import type { Client } from './client.ts';

/** Listeners hear at most once in this time, in milliseconds. */
const frameMs = 16;

/** What is known of a thread at one moment. It never changes: a later moment is another object. */
export interface ThreadSnapshot extends ThreadReading {
  readonly conversation: Conversation;
  /** Whether events come in right now. */
  readonly isConnected: boolean;
  /** Whether the connection was lost and is tried again. */
  readonly isReconnecting: boolean;
  /** Why no more events come, when the server refused them. */
  readonly error?: unknown;
}

/** A thread that is followed; it fits `useSyncExternalStore`. */
export interface ThreadStore {
  /** Calls back after each change; returns what ends that. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The same object until something changes. */
  readonly getSnapshot: () => ThreadSnapshot;
  /** Stops following. */
  close(): void;
}

/** Follows a thread and folds its events; listeners hear once of those that come together. */
export function createThreadStore(client: Pick<Client, 'watch'>, threadId: string): ThreadStore {
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  let state = threadReading.initial;
  let isConnected = false;
  let isReconnecting = false;
  let failure: { readonly error: unknown } | undefined;
  let snapshot: ThreadSnapshot | undefined;
  let isScheduled = false;

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
    state = threadReading.step(state, event);
    changed();
  };
  const onConnection = (connected: boolean) => {
    isConnected = connected;
    isReconnecting = !connected;
    changed();
  };
  const follow = async () => {
    try {
      const options = { signal: stop.signal, onConnection, waitForServer: true };
      for await (const event of client.watch(threadId, options)) take(event);
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
      snapshot ??= Object.assign(threadReading.view(state), {
        conversation: state.conversation,
        isConnected,
        isReconnecting,
        ...failure,
      });
      return snapshot;
    },
    close() {
      listeners.clear();
      stop.abort();
    },
  };
}
