import { defined } from '../../events/defined.ts';
import * as z from 'zod';
import { SingletreeError } from '../../events/index.ts';
import { allThreads, importThread } from '../../log/index.ts';
import { branchBody, newThreadBody, renameBody, threadInfo } from '../../protocols/index.ts';
import { exportedLines } from '../exported-lines.ts';
import { checkContentType, readChunks, wholeNumber } from '../request-input.ts';
import { type Route, route } from '../route.ts';
import { runIdsOf } from '../run-ids.ts';
import { authorOf } from '../security/access.ts';
import type { Site } from '../site.ts';
import { cursorOf, placeAt, resourceFor } from '../threads.ts';

const tag = 'Threads';
const title = z.string().min(1).max(500).optional();
const ndjson = 'application/x-ndjson';
const listQuery = z.strictObject({
  resourceId: z.string().min(1).optional(),
  limit: wholeNumber.pipe(z.number().min(1).max(1000)).optional().describe('100 when absent'),
  query: z.string().max(200).optional().describe('words that are in the title'),
  cursor: z.string().max(1000).optional().describe('`next` of the page before'),
});
const threadList = z.looseObject({
  threads: z.array(threadInfo),
  next: z.string().optional().describe('the cursor of the next page, when there is more'),
});

/** Threads: list, search, make, read, rename, remove, branch, export and import. */
export function threadRoutes(site: Site): Route[] {
  const { log, control, onDelete, importBytes = 256 * 1024 * 1024 } = site.options;
  return [
    route({
      method: 'get',
      path: '/api/threads',
      tag,
      summary: 'List threads, newest first',
      query: listQuery,
      answer: threadList,
      handle: async ({ query: { resourceId, limit = 100, query = '', cursor }, scope }) => {
        const after = cursor === undefined ? undefined : placeOf(cursor);
        const found = [];
        for await (const thread of allThreads(log, { resourceId: resourceFor(scope, resourceId), after })) {
          if (!matches(thread.title, query)) continue;
          if (found.length === limit) return page(site, found, true);
          found.push(thread);
        }
        return page(site, found, false);
      },
    }),
    route({
      method: 'post',
      path: '/api/threads',
      tag,
      summary: 'Make a thread',
      body: newThreadBody,
      status: 201,
      answer: threadInfo,
      handle: async ({ body, scope }) => {
        const resourceId = resourceFor(scope, body.resourceId);
        const named = body.title !== undefined && { title: body.title };
        return site.infoOf(await log.createThread({ ...named, ...defined({ resourceId }) }));
      },
    }),
    route({
      method: 'post',
      path: '/api/threads/import',
      tag,
      summary: 'Make a thread from an export',
      query: z.strictObject({ title, resourceId: z.string().min(1).max(200).optional() }),
      upload: { contentType: ndjson, description: 'One event on each line, as an export gives them' },
      status: 201,
      answer: threadInfo,
      handle: async ({ context, query, scope }) => {
        const resourceId = resourceFor(scope, query.resourceId);
        const named = query.title !== undefined && { title: query.title };
        checkContentType(context.req, ndjson);
        const lines = readChunks(context.req.raw.body, importBytes);
        return site.infoOf(await importThread(log, lines, { ...named, ...defined({ resourceId }) }));
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{threadId}',
      tag,
      summary: 'Read a thread',
      answer: threadInfo,
      handle: async ({ param, scope }) => site.infoOf(await site.find(scope, param('threadId'))),
    }),
    route({
      method: 'patch',
      path: '/api/threads/{threadId}',
      tag,
      summary: 'Rename a thread',
      body: renameBody,
      answer: threadInfo,
      handle: async ({ param, scope, body }) => {
        const { id } = await site.find(scope, param('threadId'));
        return site.infoOf(await log.updateThread(id, { title: body.title }));
      },
    }),
    route({
      method: 'delete',
      path: '/api/threads/{threadId}',
      tag,
      summary: 'Stop the runs of a thread and remove it',
      status: 204,
      handle: async ({ param, scope }) => {
        const { id } = await site.find(scope, param('threadId'));
        await site.intake.removeThread(id, async () => {
          await control.abortAll(id, authorOf(scope));
          if (onDelete !== undefined) await onDelete(id, await runIdsOf(log, id));
          await log.deleteThread(id);
        });
      },
    }),
    route({
      method: 'post',
      path: '/api/threads/{threadId}/branches',
      tag,
      summary: 'Make a thread that shares the events up to a seq',
      body: branchBody,
      status: 201,
      answer: threadInfo,
      handle: async ({ param, scope, body }) => {
        const thread = await site.find(scope, param('threadId'));
        const name = body.title ?? thread.title;
        return site.infoOf(
          await log.branch(thread.id, body.seq ?? thread.seq, name === undefined ? {} : { title: name }),
        );
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{threadId}/export',
      tag,
      summary: 'Download the events of a thread, one on each line',
      answer: { contentType: ndjson, description: 'One event on each line' },
      handle: async ({ param, scope }) => {
        const { id } = await site.find(scope, param('threadId'));
        return new Response(exportedLines(log, site.redactor, id), {
          headers: { 'content-type': ndjson, 'content-disposition': 'attachment; filename="thread.ndjson"' },
        });
      },
    }),
  ];
}

function matches(name: string | undefined, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/);
  return words.every(word => (name ?? '').toLowerCase().includes(word));
}

function page(site: Site, threads: Parameters<Site['infoOf']>[0][], hasMore: boolean) {
  const last = threads.at(-1);
  return { threads: threads.map(thread => site.infoOf(thread)), ...(hasMore && last && { next: cursorOf(last) }) };
}

function placeOf(cursor: string) {
  const place = placeAt(cursor);
  if (place !== undefined) return place;
  throw new SingletreeError('invalid_argument', 'The query, field "cursor": expected the `next` of a page.');
}
