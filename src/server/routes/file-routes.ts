import { isHeldFile } from '../../events/held-files.ts';
import { defined } from '../../base/defined.ts';
import { ThreadFolds } from '../../control/thread-folds.ts';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { SingletreeError } from '../../base/singletree-error.ts';
import { isOwnEvent } from '../../log/own-events.ts';
import type { Fold } from '../../projections/fold.ts';
import { type FileInfo } from '../../protocols/http-api.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';
import { type Route, route } from '../route.ts';
import type { Site } from '../site.ts';
import { confinedPath } from '../static-files.ts';

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

/** The files that agents registered in a thread; downloaded are those of the configured folder that were not imported. */
export function fileRoutes(site: Site): Route[] {
  const { log, filesRoot } = site.options;
  const files = new ThreadFolds(log, filesFold, { most: 200 });
  return [
    route({
      ...httpRoutes.listFiles,
      right: 'read',
      tag,
      summary: 'List the files of a thread',
      handle: async ({ param, scope }) => {
        const registered = await files.of(await site.find(scope, param('threadId')));
        return { files: registered.map(({ file }) => file) };
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{threadId}/files/{fileId}',
      right: 'read',
      tag,
      summary: 'Download a file of a thread',
      answer: { contentType: 'application/octet-stream', description: 'The file' },
      handle: async ({ param, scope }) => {
        const thread = await site.find(scope, param('threadId'));
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
