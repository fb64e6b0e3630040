import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { createThreadStore, type ThreadSnapshot, type ThreadStore } from '../../../src/client/thread-store.ts';

/** About how many events are loaded at once. */
const windowEvents = 400;

const never: ThreadStore['subscribe'] = () => () => {};

interface LiveThread {
  /** Undefined until it is created. */
  readonly thread: ThreadSnapshot | undefined;
  readonly store: ThreadStore | undefined;
}

/** Returns a live conversation: its newest part, and other parts on demand. */
export function useThread(client: Client, threadId: string): LiveThread {
  const [store, setStore] = useState<ThreadStore>();
  useEffect(() => {
    const followed = createThreadStore(client, threadId, { window: windowEvents });
    setStore(followed);
    return () => followed.close();
  }, [client, threadId]);
  const thread = useSyncExternalStore(store?.subscribe ?? never, () => store?.getSnapshot());
  return { thread, store };
}
