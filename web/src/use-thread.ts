import { useEffect, useState, useSyncExternalStore } from 'react';
import { type Client, createThreadStore, type ThreadSnapshot, type ThreadStore } from '../../src/client/index.ts';

const never: ThreadStore['subscribe'] = () => () => {};

/** Returns a live conversation; undefined until it is loaded. */
export function useThread(client: Client, threadId: string): ThreadSnapshot | undefined {
  const [store, setStore] = useState<ThreadStore>();
  useEffect(() => {
    const followed = createThreadStore(client, threadId);
    setStore(followed);
    return () => followed.close();
  }, [client, threadId]);
  return useSyncExternalStore(store?.subscribe ?? never, () => store?.getSnapshot());
}
