import type { ContentBlock } from '@modelcontextprotocol/server';
import { defined } from '../../base/defined.ts';
import type { ThreadInfo } from '../../protocols/http-api.ts';
import type { McpToolHandlers } from './mcp-call.ts';
import { threadUri } from './thread-uris.ts';
import type { Thread } from '../../log/event-log.ts';
import type { ThreadWindow } from '../../log/window.ts';
import type { Site } from '../site.ts';

/** Returns the summary of a thread for lists. */
export function describeThread({ id, title, agentId: agent, folder, updatedAt, status }: ThreadInfo) {
  return { threadId: id, updatedAt, state: status ?? 'idle', ...defined({ title, agent, folder }) };
}

/** The tools that list, search and read threads. */
export const threadHandlers: Pick<McpToolHandlers, 'thread_list' | 'thread_search' | 'thread_read'> = {
  thread_list: async ({ limit = 20, ...query }, { threads }) => {
    const page = await threads.list({ ...query, limit });
    return { value: { ...page, threads: page.threads.map(describeThread) } };
  },
  thread_search: async ({ query, limit = 10 }, { site, threads }) => {
    const { hits: found, isComplete } = await threads.search(query, limit);
    const { log } = site.options;
    const hits = await Promise.all(
      found.map(async ({ threadId: id, title, seq, snippet: text }) => {
        const [event] = seq === undefined ? [] : await log.read(id, { after: seq - 1, limit: 1 });
        const thread = await log.getThread(id);
        const agent = thread && (await site.conversations.digests.of(thread)).agentId;
        return { threadId: id, text, ...defined({ title, seq, ts: event?.ts, agent }) };
      }),
    );
    const names = new Map(hits.map(hit => [hit.threadId, site.redactor.text(hit.title ?? hit.threadId)]));
    const links = [...names].map(
      ([id, name]): ContentBlock => ({ type: 'resource_link', uri: threadUri(id), name, mimeType: 'text/markdown' }),
    );
    return { value: { hits, isComplete }, links };
  },
  thread_read: async ({ threadId: id, from, limit = 200, format }, { site, threads }) => {
    const thread = await threads.find(id);
    const read = format === 'events' ? readEventPage : readMarkdownPage;
    const page = await read(site, thread, { from, limit });
    return { value: { threadId: id, ...defined({ title: thread.title }), ...page } };
  },
};

/** How long the text of a page may be: models are given no more of a tool's result. */
const mostChars = 60_000;
/** The maximum length of one text of an event. */
const mostEventChars = 4_000;

/** Selects a part of a thread: from a seq on, or its end when `from` is absent. */
export interface PageRequest {
  readonly from?: number | undefined;
  readonly limit: number;
}

/** A part of a thread as text. */
export interface ThreadPage {
  readonly text: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The seq at which the next page begins, when there is more. */
  readonly next?: number;
  /** The `from` with which to read the previous part. */
  readonly previous?: number;
}

/** Reads a part of a thread as Markdown, without secrets; fewer events when their text would be too long. */
export async function readMarkdownPage(site: Site, thread: Thread, request: PageRequest): Promise<ThreadPage> {
  const { toMarkdownPart } = await import('../../protocols/documents/markdown.ts');
  return fitPage(site, thread, request, toMarkdownPart);
}

/** Reads a part of a thread as events, one on each line, without secrets; long texts in them are shortened. */
function readEventPage(site: Site, thread: Thread, request: PageRequest): Promise<ThreadPage> {
  const toLine = (event: object) => site.redactor.json(JSON.stringify(event, shortenText));
  return fitPage(site, thread, request, ({ events }) => events.map(toLine).join('\n'));
}

async function fitPage(
  site: Site,
  thread: Thread,
  { from, limit }: PageRequest,
  write: (window: ThreadWindow) => string,
): Promise<ThreadPage> {
  const place = from === undefined ? {} : { after: Math.max(0, from - 1) };
  const window = await site.readWindow(thread.id, {
    limit,
    ...place,
  });
  const text = write(window);
  if (text.length > mostChars && limit > 1) return fitPage(site, thread, { from, limit: Math.floor(limit / 2) }, write);
  const { firstSeq, lastSeq, hasEarlier, hasLater } = window;
  return {
    text:
      text.length > mostChars ? `${text.slice(0, mostChars)}\n… ${text.length - mostChars} more characters …` : text,
    firstSeq,
    lastSeq,
    ...(hasLater && { next: lastSeq + 1 }),
    ...(hasEarlier && { previous: Math.max(1, firstSeq - limit) }),
  };
}

function shortenText(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= mostEventChars) return value;
  return `${value.slice(0, mostEventChars)}… ${value.length - mostEventChars} more characters`;
}
