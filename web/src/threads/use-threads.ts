import { createContext, useContext, useState, useSyncExternalStore } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { ThreadList, type ThreadListView } from './thread-list.ts';

/** Provides the one list of threads of the page. */
export const Threads = createContext<ThreadList | undefined>(undefined);

/** Creates the list of threads of the page; it follows the server while it is shown. */
export function useThreadList(client: Client): { readonly list: ThreadList; readonly view: ThreadListView } {
  const [list] = useState(() => new ThreadList(client));
  return { list, view: useSyncExternalStore(list.subscribe, list.view) };
}

/** Returns the current snapshot of the list of threads. */
export function useThreads(): ThreadListView {
  const list = useContext(Threads);
  if (list === undefined) throw new Error('expected the provider of the threads');
  return useSyncExternalStore(list.subscribe, list.view);
}

/** The name of a thread for people. */
export function getTitle({ title }: Pick<ThreadInfo, 'title'>): string {
  return title === undefined || title.trim() === '' ? 'Untitled' : title;
}
