import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { type Client, createThreadStore, type ThreadSnapshot, type ThreadStore } from '../../../src/client/index.ts';

/** About how many events are loaded at once. */
const windowEvents = 500;

const never: ThreadStore['subscribe'] = () => () => {};

interface LiveThread {
  /** Undefined until it is loaded. */
  readonly thread: ThreadSnapshot | undefined;
  /** Loads earlier messages of it. */
  readonly loadEarlier: () => Promise<void>;
}

/** Returns a live conversation: its newest part, and earlier ones on demand. */
export function useThread(client: Client, threadId: string): LiveThread {
  const [store, setStore] = useState<ThreadStore>();
  useEffect(() => {
    const followed = createThreadStore(client, threadId, { window: windowEvents });
    setStore(followed);
    return () => followed.close();
  }, [client, threadId]);
  const thread = useSyncExternalStore(store?.subscribe ?? never, () => store?.getSnapshot());
  const loadEarlier = useCallback(async () => {
    // A server that cannot be reached is shown as such by the connection.
    await store?.loadEarlier().catch(() => {});
  }, [store]);
  return { thread, loadEarlier };
}
