import type { ServerEvent } from '@modelcontextprotocol/server';
import type { Site } from '../site.ts';
import type { ListChange } from '../thread-list-feed.ts';
import type { McpAccess } from './mcp-access.ts';
import { changedUris } from './thread-uris.ts';
import { VisibleThreads } from './visible-threads.ts';

/** Reports the changes of the threads that a connection sees as changes of resources. Returns an unsubscribe function. */
export function watchThreads(site: Site, access: McpAccess, listener: (event: ServerEvent) => void): () => void {
  let leave: (() => void) | undefined;
  let isClosed = false;
  const isOwn = ({ resourceId }: { readonly resourceId: string }) =>
    access.scope.resourceId === undefined || access.scope.resourceId === resourceId;
  const join = async () => {
    const threads = new VisibleThreads(site, access);
    const isVisible = async (id: string) => {
      const thread = await site.options.log.getThread(id);
      return thread !== undefined && (await threads.isVisible(thread));
    };
    const report = async ({ changed, deleted }: ListChange) => {
      const ids = deleted.filter(isOwn).map(({ id }) => id);
      for (const { id } of changed.filter(isOwn)) if (await isVisible(id)) ids.push(id);
      if (ids.length === 0 || isClosed) return;
      listener({ kind: 'resources_list_changed' });
      for (const uri of new Set(ids.flatMap(changedUris))) listener({ kind: 'resource_updated', uri });
    };
    const stop = await site.threadList.join(change => void report(change).catch(site.reportFailure));
    if (isClosed) stop();
    else leave = stop;
  };
  join().catch(site.reportFailure);
  return () => {
    isClosed = true;
    leave?.();
  };
}
