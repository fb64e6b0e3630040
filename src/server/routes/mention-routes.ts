import * as z from 'zod';
import { systemClock } from '../../agents/clock.ts';
import { FileIndex } from '../../agents/workspace/file-index.ts';
import { workspace } from '../../agents/workspace/workspace-folder.ts';
import { wholeNumber } from '../request-input.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';
import { type Route, route } from '../route.ts';
import type { Scope } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { projectsFor } from './project-routes.ts';

/** How many folders have an index at once. */
const mostIndexes = 4;
const defaultLimit = 20;

const mentionQuery = z.strictObject({
  query: z.string().max(200).optional().describe('characters that the path has, in this order'),
  threadId: z.string().min(1).optional().describe('the thread whose folder is searched'),
  folder: z.string().min(1).max(4096).optional().describe('the open project that is searched, without a thread'),
  limit: wholeNumber.pipe(z.number().min(1).max(100)).optional().describe('20 when absent'),
});

/** The files that a message can mention: those of the folder that the agents of a thread work in. */
export function mentionRoutes(site: Site): Route[] {
  const indexes = new Map<string, FileIndex>();
  const indexOf = (folder: string): FileIndex => {
    const index = indexes.get(folder) ?? new FileIndex(workspace(folder), systemClock);
    indexes.delete(folder);
    indexes.set(folder, index);
    for (const [oldest, unused] of indexes) {
      if (indexes.size <= mostIndexes) break;
      unused.close();
      indexes.delete(oldest);
    }
    return index;
  };
  /** The folder of a thread, unless an import named it; else that of the server. A token of one resource has neither. */
  const folderFor = async (scope: Scope, place: z.infer<typeof mentionQuery>): Promise<string | undefined> => {
    const { threadId, folder } = place;
    if (scope.resourceId !== undefined) return undefined;
    if (threadId === undefined && folder !== undefined)
      return (await projectsFor(site, scope).findProject(folder)).folder;
    if (threadId === undefined) return site.options.folder;
    const thread = await site.find(scope, threadId);
    return (await site.conversations.digests.findFolder(thread)) ?? site.options.folder;
  };
  return [
    route({
      ...httpRoutes.findMentions,
      right: 'read',
      tag: 'Files',
      summary: 'Find files of the folder of a thread by their path, the best match first',
      query: mentionQuery,
      handle: async ({ query: { query = '', limit = defaultLimit, ...place }, scope }) => {
        const folder = await folderFor(scope, place);
        if (folder === undefined) return { files: [] };
        const index = indexOf(folder);
        const built = index.refresh();
        if (!index.isComplete) await built;
        return {
          files: index.search(query, limit).map(({ entry, positions }) => ({ path: entry, positions: [...positions] })),
        };
      },
    }),
  ];
}
