import { isSameFolder } from '../../control/same-folder.ts';
import { checkOutsideRuns } from '../../control/conversations/inside-run.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { SearchHit } from '../../log/derived/search.ts';
import { searchLog } from '../../log/derived/log-queries.ts';
import type { Thread } from '../../log/event-log.ts';
import type { ThreadInfo } from '../../protocols/http-api.ts';
import type { Site } from '../site.ts';
import { toCursor, hasTitleWords, placeIn } from '../threads.ts';
import type { McpAccess, McpCaller } from './mcp-access.ts';

/** The number of threads, or pages of hits, scanned for one page of a list, because few may be of the folder. */
const mostThreads = 1_000;
const mostPages = 10;

/** The filter and page of a thread list. */
export interface ThreadQuery {
  readonly query?: string | undefined;
  readonly agent?: string | undefined;
  readonly folder?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The threads that a connection sees: those of its token, and of its folder. */
export class VisibleThreads {
  readonly #site: Site;
  readonly #access: McpAccess;

  constructor(site: Site, access: McpAccess) {
    this.#site = site;
    this.#access = access;
  }

  /** Returns a thread; throws `thread_not_found` when it does not exist or is of others. */
  async find(threadId: string): Promise<Thread> {
    const thread = await this.#site.find(this.#access.scope, threadId);
    if (await this.isVisible(thread)) return thread;
    throw new SingletreeError(
      'thread_not_found',
      `There is no thread "${threadId}" of this folder. \`singletree mcp --all\` opens the threads of every folder.`,
      { details: { threadId } },
    );
  }

  /** Returns a thread to write to; throws `request_forbidden` for a caller that one of its runs started. */
  async findToSend(threadId: string, caller: McpCaller): Promise<Thread> {
    const thread = await this.find(threadId);
    await checkOutsideRuns(this.#site.options.log, thread, caller);
    return thread;
  }

  /** Whether a thread is of the folder of the connection. */
  async isVisible(thread: Thread): Promise<boolean> {
    const { folder } = this.#access;
    return folder === undefined || this.#isIn(thread, folder);
  }

  /** Lists threads, newest first; a page may have fewer than its limit and yet a next one. */
  async list({ query = '', agent, folder, limit, cursor }: ThreadQuery): Promise<{
    threads: ThreadInfo[];
    next?: string;
  }> {
    const { resourceId } = this.#access.scope;
    const threads: ThreadInfo[] = [];
    let looked = 0;
    let last: Thread | undefined;
    for await (const thread of allThreads(this.#site.options.log, { resourceId, after: placeIn(cursor) })) {
      if (last !== undefined && (threads.length === limit || looked === mostThreads))
        return { threads, next: toCursor(last) };
      last = thread;
      looked++;
      if (!hasTitleWords(thread, query)) continue;
      if (!(await this.isVisible(thread)) || (folder !== undefined && !(await this.#isIn(thread, folder)))) continue;
      const info = await this.#site.listed(thread);
      if (agent === undefined || info.agentId === agent) threads.push(info);
    }
    return { threads };
  }

  /** Finds messages and titles by their words, newest first. */
  async search(text: string, limit: number): Promise<{ hits: SearchHit[]; isComplete: boolean }> {
    const { folder, scope } = this.#access;
    const hits: SearchHit[] = [];
    let after: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const query = { text, limit: folder === undefined ? limit : 100, ...defined({ after }) };
      const found = await searchLog(this.#site.options.log, { ...query, ...defined({ resourceId: scope.resourceId }) });
      for (const hit of found.hits) {
        const thread = await this.#site.options.log.getThread(hit.threadId);
        if (thread !== undefined && (await this.isVisible(thread))) hits.push(hit);
        if (hits.length === limit) return { hits, isComplete: found.isComplete };
      }
      after = found.next;
      if (after === undefined) return { hits, isComplete: found.isComplete };
    }
    return { hits, isComplete: false };
  }

  async #isIn(thread: Thread, folder: string): Promise<boolean> {
    return isSameFolder(await this.#site.conversations.digests.findStartFolder(thread), folder);
  }
}
