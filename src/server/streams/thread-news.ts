import type { ThreadInfo, ThreadNews } from '../../protocols/http-api.ts';
import type { ListChange, ThreadListFeed } from '../thread-list-feed.ts';
import type { Scope } from '../security/caller.ts';

export interface ThreadNewsOptions {
  readonly feed: ThreadListFeed;
  readonly scope: Scope;
  /** Returns the threads that wait for a person or run, as far as the reader may see them. */
  readonly active: () => Promise<ThreadInfo[]>;
  readonly signal: AbortSignal;
}

/**
 * Yields what changes in the list of threads that a reader may see, first what is active. News of a slow reader are
 * merged by thread, so they take no more room than the list.
 */
export async function* threadNews({ feed, scope, active, signal }: ThreadNewsOptions): AsyncGenerator<ThreadNews> {
  const changed = new Map<string, ThreadInfo>();
  const deleted = new Set<string>();
  let wake = () => {};
  const isVisible = ({ resourceId }: { readonly resourceId: string }) =>
    scope.resourceId === undefined || scope.resourceId === resourceId;
  const leave = await feed.join((change: ListChange) => {
    for (const thread of change.changed.filter(isVisible)) changed.set(thread.id, thread);
    for (const { id } of change.deleted.filter(isVisible)) {
      changed.delete(id);
      deleted.add(id);
    }
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  try {
    yield { active: await active() };
    while (!signal.aborted) {
      if (changed.size + deleted.size === 0)
        await new Promise<void>(resolve => {
          wake = resolve;
          if (signal.aborted) resolve();
        });
      if (signal.aborted || changed.size + deleted.size === 0) continue;
      const news = { changed: [...changed.values()], deleted: [...deleted] };
      changed.clear();
      deleted.clear();
      yield news;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    leave();
  }
}
