import type { LoggedEvent } from '../events/index.ts';
import { type Conversation, createConversation, reduceConversation } from '../graph/index.ts';
import { type PendingRelay, pendingRelays, threadView } from '../projections/index.ts';
import type { Client } from './client.ts';

/** What is known of a thread at one moment. It never changes: a later moment is another object. */
export interface ThreadSnapshot {
  /** The newest event taken in. */
  readonly seq: number;
  readonly conversation: Conversation;
  /** The thread as a person reads it. */
  readonly view: ReturnType<typeof threadView.view>;
  /** What waits for a person. */
  readonly pending: readonly PendingRelay[];
  /** Whether events come in right now. */
  readonly isConnected: boolean;
  /** Why no more events come, when the server refused them. */
  readonly error?: unknown;
}

/** A thread that is followed; it fits `useSyncExternalStore`. */
export interface ThreadStore {
  /** Calls back after each change; returns what ends that. */
  subscribe(listener: () => void): () => void;
  /** The same object until something changes. */
  getSnapshot(): ThreadSnapshot;
  /** Stops following. */
  close(): void;
}

/** Follows a thread and folds its events; listeners hear once of those that come together. */
export function createThreadStore(client: Pick<Client, 'watch'>, threadId: string): ThreadStore {
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  let conversation = createConversation();
  let view = threadView.initial;
  let pending = pendingRelays.initial;
  let isConnected = false;
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
    });
  };
  const take = (event: LoggedEvent) => {
    conversation = reduceConversation(conversation, event);
    view = threadView.step(view, event);
    pending = pendingRelays.step(pending, event);
    changed();
  };
  const onConnection = (connected: boolean) => {
    isConnected = connected;
    changed();
  };
  const follow = async () => {
    try {
      for await (const event of client.watch(threadId, { signal: stop.signal, onConnection })) take(event);
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
      snapshot ??= {
        seq: view.seq,
        conversation,
        view: threadView.view(view),
        pending: pendingRelays.view(pending),
        isConnected,
        ...failure,
      };
      return snapshot;
    },
    close() {
      listeners.clear();
      stop.abort();
    },
  };
}
