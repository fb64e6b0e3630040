import type { ThreadInfo, ThreadNews } from '../../protocols/http-api.ts';
import type { ListChange, ThreadListFeed } from '../thread-list-feed.ts';
import type { Scope } from '../security/caller.ts';

export interface ThreadNewsOptions {
  readonly feed: ThreadListFeed;
  readonly scope: Scope;
  /** Returns the active and waiting threads that are visible to the reader. */
  readonly active: () => Promise<ThreadInfo[]>;
  readonly signal: AbortSignal;
}

/**
 * Yields the active threads visible to a reader, then changes in its thread list. Changes for a slow reader are merged
 * by thread, so that they take no more memory than the list.
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
