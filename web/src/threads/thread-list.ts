import { defined } from '../../../src/base/defined.ts';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import { SingletreeError } from '../../../src/base/singletree-error.ts';
import type { ThreadInfo, ThreadNews } from '../../../src/protocols/http-api.ts';

/** The connection state of the list: `signed-out` when the server rejects the user's token. */
export type ListState = 'loading' | 'live' | 'lost' | 'signed-out' | 'failed';

/** An immutable snapshot of the list of threads. */
export interface ThreadListView {
  /** The loaded threads, latest change first, without those that are about to be deleted. */
  readonly threads: readonly ThreadInfo[];
  readonly hasMore: boolean;
  readonly state: ListState;
  readonly problem?: string;
  /** The error that ended the connection, while it is lost. */
  readonly lostBy?: unknown;
}

const pageSize = 100;
const retryMs = 1000;

/** The threads of the server, page by page, kept up to date over one stream. */
export class ThreadList {
  readonly #client: Client;
  readonly #threads = new Map<string, ThreadInfo>();
  readonly #hidden = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #view: ThreadListView = { threads: [], hasMore: false, state: 'loading' };
  #cursor: string | undefined;
  #stop: AbortController | undefined;
  #loading: Promise<void> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  readonly view = (): ThreadListView => this.#view;

  /** Follows the list while it has listeners. Returns an unsubscribe function. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.#listeners.add(own);
    if (this.#listeners.size === 1) void this.#follow();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#stop?.abort();
    };
  };

  /** Loads the next page; does nothing while one is loaded. */
  readonly loadMore = (): Promise<void> => {
    if (this.#cursor === undefined) return Promise.resolve();
    return (this.#loading ??= this.#load(this.#cursor).finally(() => {
      this.#loading = undefined;
    }));
  };

  /** Hides a thread that is about to be deleted, or shows it again. */
  hide(threadId: string, isHidden: boolean): void {
    if (isHidden) this.#hidden.add(threadId);
    else this.#hidden.delete(threadId);
    this.#show({});
  }

  /** Stores the server's response to a change, before the stream reports it. */
  put(thread: ThreadInfo): void {
    this.#threads.set(thread.id, { ...this.#threads.get(thread.id), ...thread });
    this.#show({});
  }

  /** Forgets a thread that is deleted. */
  drop(threadId: string): void {
    this.#threads.delete(threadId);
    this.#hidden.delete(threadId);
    this.#show({});
  }

  /** Restarts the stream, for example after a failure. */
  readonly restart = (): void => {
    this.#stop?.abort();
    this.#show({ state: 'loading' });
    void this.#follow();
  };

  async #follow(): Promise<void> {
    const stop = (this.#stop = new AbortController());
    const { signal } = stop;
    const onConnection = (isConnected: boolean, lostBy?: unknown) => {
      if (!isConnected && !signal.aborted) this.#show({ state: 'lost', lostBy });
    };
    while (!signal.aborted)
      try {
        for await (const news of this.#client.watchThreads({ signal, onConnection })) {
          if (news.active !== undefined) await this.#begin(news.active);
          else this.#take(news);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (SingletreeError.is(error, 'server_unreachable')) {
          this.#show({ state: 'lost', lostBy: error });
          await new Promise(resolve => setTimeout(resolve, retryMs));
          continue;
        }
        const isUnknown = SingletreeError.is(error) && error.details['code'] === 'unauthorized';
        const state = isUnknown ? 'signed-out' : 'failed';
        return this.#show({ state, problem: errorText(error) });
      }
  }

  /** The first page together with what is active, of however many pages. */
  async #begin(active: readonly ThreadInfo[]): Promise<void> {
    const { threads, next } = await this.#client.searchThreads({ limit: pageSize });
    this.#threads.clear();
    for (const thread of [...threads, ...active]) this.#threads.set(thread.id, thread);
    this.#cursor = next;
    this.#show({ state: 'live' });
  }

  async #load(cursor: string): Promise<void> {
    try {
      const { threads, next } = await this.#client.searchThreads({ limit: pageSize, cursor });
      // Updates from the stream in the meantime are newer.
      for (const thread of threads) if (!this.#threads.has(thread.id)) this.#threads.set(thread.id, thread);
      if (this.#cursor === cursor) this.#cursor = next;
      this.#show({});
    } catch (error) {
      this.#show({ problem: errorText(error) });
    }
  }

  #take({ changed = [], deleted = [] }: ThreadNews): void {
    for (const thread of changed) this.#threads.set(thread.id, thread);
    for (const id of deleted) {
      this.#threads.delete(id);
      this.#hidden.delete(id);
    }
    this.#show({});
  }

  #show({ state = this.#view.state, problem, lostBy }: Partial<Omit<ThreadListView, 'threads' | 'hasMore'>>): void {
    const threads = [...this.#threads.values()].filter(({ id }) => !this.#hidden.has(id)).toSorted(newestFirst);
    const hasMore = this.#cursor !== undefined;
    this.#view = { threads, hasMore, state, ...defined({ problem, lostBy }) };
    for (const listener of this.#listeners) listener();
  }
}

function newestFirst(a: ThreadInfo, b: ThreadInfo): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
