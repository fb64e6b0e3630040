import { pickAgent } from '../../control/conversations/sent-message.ts';
import { findMessageEnd } from '../../control/rewind/branch-at.ts';
import { sendInBranch } from '../../control/worktrees/send-in-branch.ts';
import type { Worktrees } from '../../control/worktrees/worktrees.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { defined } from '../../base/defined.ts';
import * as z from 'zod';
import { allThreads } from '../../log/all-threads.ts';
import { importThread } from '../../log/jsonl.ts';
import type { Thread } from '../../log/event-log.ts';
import { threadInfo } from '../../protocols/http-api.ts';
import { sseFraming } from '../../protocols/framing.ts';
import { documentFormats } from '../../protocols/documents/thread-document.ts';
import { exportedDocument, exportedLines } from '../thread-export.ts';
import { checkContentType, readChunks, wholeNumber } from '../request-input.ts';
import { type Route, route, threadRoute } from '../route.ts';
import { listRunIds } from '../run-standings.ts';
import { getAuthor, describeSender } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { frameResponse } from '../streams/frame-stream.ts';
import { threadNews } from '../streams/thread-news.ts';
import { toCursor, hasTitleWords, placeIn, resourceFor } from '../threads.ts';
import { projectsFor } from './project-routes.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const tag = 'Threads';
const title = z.string().min(1).max(500).optional();
const ndjson = 'application/x-ndjson';
const eventLines = { extension: 'jsonl', contentType: ndjson };
const listQuery = z.strictObject({
  resourceId: z.string().min(1).optional(),
  limit: wholeNumber.pipe(z.number().min(1).max(1000)).optional().describe('100 when absent'),
  query: z.string().max(200).optional().describe('words that are in the title'),
  cursor: z.string().max(1000).optional().describe('`next` of the page before'),
});

/** Threads: list, search, make, read, rename, remove, branch, export and import. */
export function threadRoutes(site: Site): Route[] {
  const { log, onDelete, importBytes = 256 * 1024 * 1024 } = site.options;
  return [
    route(tag, httpRoutes.searchThreads, {
      right: 'read',
      summary: 'List threads, newest first',
      query: listQuery,
      handle: async ({ query: { resourceId, limit = 100, query = '', cursor }, scope }) => {
        const after = placeIn(cursor);
        const found = [];
        for await (const thread of allThreads(log, { resourceId: resourceFor(scope, resourceId), after })) {
          if (!hasTitleWords(thread, query)) continue;
          if (found.length === limit) return page(site, found, true);
          found.push(thread);
        }
        return page(site, found, false);
      },
    }),
    route(tag, 'GET /api/changes', {
      right: 'read',
      summary: 'Follow the list of threads: what runs or waits, then every change',
      answer: { contentType: 'text/event-stream', description: 'Frames with `active`, `changed` and `deleted`' },
      handle: ({ scope }) => {
        const { redactor, threadList: feed } = site;
        const active = async () =>
          Promise.all((await site.conversations.active(scope.resourceId)).map(thread => site.listed(thread)));
        const frames = async function* (stop: AbortSignal) {
          for await (const news of threadNews({ feed, scope, active, signal: stop }))
            yield sseFraming.frame(redactor.json(JSON.stringify(news)));
        };
        return frameResponse(site, sseFraming, frames);
      },
    }),
    route(tag, httpRoutes.createThread, {
      right: 'send',
      summary: 'Make a thread, or return the one with the id that the sender chose',
      status: 201,
      handle: async ({ body, scope }) => {
        const { id, title: name } = body;
        const project = body.folder === undefined ? undefined : await projectsFor(site, scope).findProject(body.folder);
        const fields = {
          ...defined({ title: name, resourceId: resourceFor(scope, body.resourceId) }),
          ...(project && { metadata: { cwd: project.folder } }),
        };
        const thread = await (id === undefined
          ? log.createThread(fields)
          : site.findOrCreate(scope, { id, ...fields }));
        if (project === undefined || thread.seq > 0) return site.toInfo(thread);
        await site.conversations.move(thread.id, { folder: project.folder });
        return site.toInfo(await site.find(scope, thread.id));
      },
    }),
    route(tag, 'POST /api/threads/import', {
      right: 'administer',
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
        return site.toInfo(await importThread(log, lines, { ...named, ...defined({ resourceId }) }));
      },
    }),
    threadRoute(tag, httpRoutes.getThread, {
      right: 'read',
      summary: 'Read a thread',
      handle: async ({ thread }) => site.toInfo(thread),
    }),
    threadRoute(tag, httpRoutes.changeThread, {
      right: 'send',
      summary: 'Rename, pin or archive a thread',
      handle: async ({ thread, body }) => site.toInfo(await site.conversations.label(thread.id, body)),
    }),
    threadRoute(tag, httpRoutes.deleteThread, {
      right: 'administer',
      summary: 'Stop the runs of a thread and remove it',
      status: 204,
      handle: async ({ thread, scope }) => {
        const remove = async () => {
          if (onDelete !== undefined) await onDelete(thread.id, await listRunIds(log, thread));
          await log.deleteThread(thread.id);
        };
        await site.conversations.delete(thread.id, { ...getAuthor(scope), remove });
      },
    }),
    threadRoute(tag, httpRoutes.branchThread, {
      right: 'send',
      summary: 'Make a thread that shares the events up to a seq or a message, and continue it with any agent',
      bodyBytes: 8 * 1024 * 1024,
      status: 201,
      handle: async ({ thread, scope, body }) => {
        const { seq, message, title = thread.title, send } = body;
        const last = message === undefined ? (seq ?? thread.seq) : await findMessageEnd(log, thread, message);
        const makeBranch = () => log.branch(thread.id, last, title === undefined ? {} : { title });
        if (send === undefined) return site.toInfo(await makeBranch());
        const { worktree = false, ...said } = send;
        const agent = pickAgent(site.options.agents, said.agent, thread.id);
        const worktrees = worktree ? await findWorktrees(site, thread) : undefined;
        const branch = await makeBranch();
        await sendInBranch({ log, conversations: site.conversations, worktrees }, branch.id, {
          agent,
          message: { ...said, ...describeSender(scope) },
        });
        return site.toInfo(await site.find(scope, branch.id));
      },
    }),
    threadRoute(tag, 'GET /api/threads/{threadId}/export', {
      right: 'read',
      summary: 'Download a thread: its events, one on each line, its active branch as a document, or its spans',
      query: z.strictObject({
        format: z.enum(['jsonl', 'markdown', 'html', 'atif', 'otlp']).optional().describe('the events by default'),
      }),
      answer: { contentType: ndjson, description: 'One event on each line, or the document' },
      handle: async ({ thread, query: { format = 'jsonl' } }) => {
        const { redactor, options } = site;
        const { extension, contentType } = format === 'jsonl' ? eventLines : documentFormats[format];
        const body =
          format === 'jsonl'
            ? exportedLines(log, redactor, thread.id)
            : await exportedDocument({ log, redactor, version: options.version ?? '0' }, thread, format);
        return new Response(body, {
          headers: {
            'content-type': contentType,
            'content-disposition': `attachment; ${exportName(thread.title, extension)}`,
          },
        });
      },
    }),
  ];
}

async function page(site: Site, threads: Thread[], hasMore: boolean) {
  const last = threads.at(-1);
  const listed = await Promise.all(threads.map(thread => site.listed(thread)));
  return { threads: listed, ...(hasMore && last && { next: toCursor(last) }) };
}

/** The name of an exported file, from the title of its thread: in ASCII, and as it is for clients that know RFC 5987. */
function exportName(name = 'thread', extension: string): string {
  const words = /^.{0,60}/u.exec(name.replaceAll(/[^\p{L}\p{N}]+/gu, '-'))?.[0] || 'thread';
  const ascii = words.replaceAll(/[^\w-]+/g, '') || 'thread';
  return `filename="${ascii}.${extension}"; filename*=UTF-8''${encodeURIComponent(words)}.${extension}`;
}

/** Returns the worktrees of the project of a thread; throws `worktree_unavailable` on a server that makes none. */
async function findWorktrees({ options, conversations }: Site, thread: Thread): Promise<Worktrees> {
  const { projects, worktrees } = options;
  const { folder, origin = folder } = await conversations.digests.of(thread);
  const found = projects === undefined || origin === undefined ? worktrees : await projects.findWorktrees(origin);
  if (found !== undefined) return found;
  throw new SingletreeError('worktree_unavailable', 'This server has no folder for git worktrees.');
}
