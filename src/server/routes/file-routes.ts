import { defined } from '../../events/defined.ts';
import { readEvents } from '../../log/index.ts';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import * as z from 'zod';
import { SingletreeError } from '../../events/index.ts';
import { type FileInfo, fileInfo } from '../../protocols/index.ts';
import { type Route, route } from '../route.ts';
import type { Site } from '../site.ts';
import { confinedPath } from '../static-files.ts';

const tag = 'Files';

/** The files that agents registered in a thread; downloaded are those of the configured folder that were not imported. */
export function fileRoutes(site: Site): Route[] {
  const { log, filesRoot } = site.options;
  const filesOf = async (threadId: string, after = 0): Promise<FileInfo[]> => {
    const files = new Map<string, FileInfo>();
    for await (const event of readEvents(log, threadId, after)) {
      if (event.type !== 'file_registered') continue;
      const { id, runId, path, mediaType, size } = event;
      const known = { ...defined({ mediaType }), ...defined({ size }) };
      files.set(id, { id, runId, path, ...known });
    }
    return [...files.values()];
  };
  return [
    route({
      method: 'get',
      path: '/api/threads/{threadId}/files',
      tag,
      summary: 'List the files of a thread',
      answer: z.looseObject({ files: z.array(fileInfo) }),
      handle: async ({ param, scope }) => {
        const { id } = await site.find(scope, param('threadId'));
        return { files: await filesOf(id) };
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{threadId}/files/{fileId}',
      tag,
      summary: 'Download a file of a thread',
      answer: { contentType: 'application/octet-stream', description: 'The file' },
      handle: async ({ param, scope }) => {
        const thread = await site.find(scope, param('threadId'));
        const file = (await filesOf(thread.id, thread.importedSeq)).find(each => each.id === param('fileId'));
        const isShared = scope.resourceId === undefined;
        const folder = typeof filesRoot === 'function' ? filesRoot(thread) : isShared ? filesRoot : undefined;
        const path = file && folder && (await confinedPath(folder, file.path));
        const found = path ? await stat(path) : undefined;
        if (!path || !found?.isFile())
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
