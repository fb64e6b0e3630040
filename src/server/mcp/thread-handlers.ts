import type { ContentBlock } from '@modelcontextprotocol/server';
import { defined } from '../../base/defined.ts';
import type { ThreadInfo } from '../../protocols/http-api.ts';
import type { McpToolHandlers } from './mcp-call.ts';
import { readEventPage, readMarkdownPage } from './thread-page.ts';
import { threadUri } from './thread-uris.ts';

/** Returns what a list shows of a thread. */
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
