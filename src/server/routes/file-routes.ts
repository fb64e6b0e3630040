import * as z from 'zod';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { isHeldFile } from '../../events/held-files.ts';
import { defined } from '../../base/defined.ts';
import { ThreadFolds } from '../../control/threads/thread-folds.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { isOwnEvent } from '../../log/own-events.ts';
import type { Fold } from '../../projections/fold.ts';
import type { FileInfo } from '../../protocols/http-api.ts';
import { type Route, route, threadRoute } from '../route.ts';
import type { Site } from '../site.ts';
import { confinedPath } from '../static-files.ts';
import { systemClock } from '../../agents/clock.ts';
import { FileIndex } from '../../agents/workspace/file-index.ts';
import { workspace } from '../../agents/workspace/workspace-folder.ts';
import { wholeNumber } from '../request-input.ts';
import type { Scope } from '../security/caller.ts';
import { projectsFor } from './project-routes.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const tag = 'Files';

interface RegisteredFile {
  readonly file: FileInfo;
  /** The seq of its newest registration. */
  readonly seq: number;
}

/** The files that agents registered, as a fold. */
const filesFold: Fold<ReadonlyMap<string, RegisteredFile>, RegisteredFile[]> = {
  get initial() {
    return new Map();
  },
  step: (files, event) => {
    if (event.type !== 'file_registered') return files;
    const { id, runId, path, mediaType, size, seq = 0 } = event;
    return new Map(files).set(id, { file: { id, runId, path, ...defined({ mediaType, size }) }, seq });
  },
  view: files => [...files.values()],
};

/** Creates the routes for registered files; downloads need a file in the configured folder that was not imported. */
export function fileRoutes(site: Site): Route[] {
  const { log, filesRoot } = site.options;
  const files = new ThreadFolds(log, filesFold, { most: 200 });
  return [
    threadRoute(tag, httpRoutes.listFiles, {
      right: 'read',
      summary: 'List the files of a thread',
      handle: async ({ thread }) => {
        const registered = await files.of(thread);
        return { files: registered.map(({ file }) => file) };
      },
    }),
    threadRoute(tag, 'GET /api/threads/{threadId}/files/{fileId}', {
      right: 'read',
      summary: 'Download a file of a thread',
      answer: { contentType: 'application/octet-stream', description: 'The file' },
      handle: async ({ thread, param, scope }) => {
        const registered = await files.of(thread);
        const file = registered.find(
          ({ file: { id }, seq }) => id === param('fileId') && isOwnEvent(thread, seq),
        )?.file;
        const isShared = scope.resourceId === undefined;
        const folder = typeof filesRoot === 'function' ? filesRoot(thread) : isShared ? filesRoot : undefined;
        const path = file && folder && (await confinedPath(folder, file.path));
        const found = path ? await stat(path) : undefined;
        if (!path || !found?.isFile() || isHeldFile(found))
          throw new SingletreeError('not_found', `The thread has no file "${param('fileId')}" that can be downloaded.`);
        const name = encodeURIComponent(basename(path));
        return new Response(Readable.toWeb(createReadStream(path)) as ReadableStream, {
          headers: {
            'content-type': 'application/octet-stream',
            'content-length': String(found.size),
            'content-disposition': `attachment; filename*=UTF-8''${name}`,
          },
        });
      },
    }),
  ];
}

/** The maximum number of folder indexes in memory. */
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
  const getIndex = (folder: string): FileIndex => {
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
    route('Files', httpRoutes.findMentions, {
      right: 'read',
      summary: 'Find files of the folder of a thread by their path, the best match first',
      query: mentionQuery,
      handle: async ({ query: { query = '', limit = defaultLimit, ...place }, scope }) => {
        const folder = await folderFor(scope, place);
        if (folder === undefined) return { files: [] };
        const index = getIndex(folder);
        const built = index.refresh();
        if (!index.isComplete) await built;
        return {
          files: index.search(query, limit).map(({ entry, positions }) => ({ path: entry, positions: [...positions] })),
        };
      },
    }),
  ];
}
