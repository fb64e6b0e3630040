import { defined } from '../base/defined.ts';
import type * as z from 'zod';
import { optionsCheck } from '../base/options/check-options.ts';
import { callback, field, milliseconds, text } from '../base/options/option-fields.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { newId } from '../events/ids.ts';
import { parseEvent } from '../events/parse.ts';
import type { LoggedEvent } from '../events/vocabulary.ts';
import { rawLineInfo, threadInfo } from '../protocols/http-api.ts';
import { repeatWhileUnreachable, timerDelay } from './backoff.ts';
import type { Client, ClientOptions } from './client.ts';
import { problemFrom } from './problem.ts';
import { encodePath, encodeQuery, routeMethods } from './route-methods.ts';
import { watchEvents, watchThreadNews } from './watch.ts';
import { toWindow } from './window.ts';

const checkOptions = optionsCheck<ClientOptions>('createClient')(() => ({
  baseUrl: field(
    value => typeof value === 'string' && /^(https?:\/\/|\/|$)/.test(value),
    'an address such as "http://127.0.0.1:4747", or a path of the own server such as "/agents"',
  ).optional(),
  fetch: callback().optional(),
  token: text().optional(),
  idleMs: milliseconds().optional(),
  delay: callback().optional(),
  random: callback().optional(),
}));

/**
 * Creates a client of a Singletree server, for browsers and Node. Throws `invalid_argument` for options that are unknown
 * or invalid.
 */
export function createClient(options: ClientOptions = {}): Client {
  checkOptions(options);
  const { baseUrl = '', idleMs = 45_000, delay = timerDelay, random = Math.random } = options;
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (options.token !== undefined) headers.set('authorization', `Bearer ${options.token}`);
    const url = `${baseUrl}${path}`;
    const request = () => (options.fetch ?? globalThis.fetch)(url, { ...init, headers });
    const response = await reach(request, init, baseUrl);
    if (response.ok) return response;
    // A truncated body loses details, but the status remains.
    throw problemFrom(await response.text().catch(() => ''), response.status);
  };
  const openStream = async (path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> => {
    const { body, headers } = await send(path, { signal });
    if (body && headers.get('content-type')?.startsWith('text/event-stream')) return body;
    throw otherServer(baseUrl);
  };
  const call = async <Schema extends z.ZodType>(path: string, init: RequestInit, answer: Schema) => {
    const response = await send(path, init);
    // Invalid JSON fails the check below.
    const parsed = answer.safeParse(await response.json().catch(() => undefined));
    if (parsed.success) return parsed.data;
    throw otherServer(baseUrl);
  };
  const routes = routeMethods(call);
  const times = { idleMs, delay, random };

  const client: Client = {
    ...routes,
    listAgents: async place => (await routes.listAgents(place)).agents,
    listThreads: async filter => (await routes.searchThreads(filter)).threads,
    listWorktrees: async () => (await routes.listWorktrees()).worktrees,
    listSessions: async () => (await routes.listSessions()).sessions,
    listQueue: async threadId => (await routes.listQueue(threadId)).messages,
    listRelays: async filter => (await routes.listRelays(filter)).relays,
    listRuns: async threadId => (await routes.listRuns(threadId)).runs,
    listFiles: async threadId => (await routes.listFiles(threadId)).files,
    listProjects: async () => (await routes.listProjects()).projects,
    listProviders: async () => (await routes.listProviders()).providers,
    listGrants: async () => (await routes.listGrants()).grants,
    storeProvider: async provider => (await routes.storeProvider(provider)).providers,
    sumUsage: async query => (await routes.sumUsage(query)).totals,
    findMentions: async query => (await routes.findMentions(query)).files,
    openProject: folder => routes.openProject({ folder }),
    moveThread: (threadId, folder) => routes.moveThread(threadId, { folder }),
    listFolders: path => routes.listFolders({ path }),
    readPatch: (threadId, path) => routes.readPatch(threadId, { path }),
    sendMessage: (threadId, message) => {
      const identified = { ...message, id: message.id ?? newId() };
      return repeatWhileUnreachable(() => routes.sendMessage(threadId, identified), times);
    },
    readWindow: async (threadId, part) => toWindow(await routes.readWindow(threadId, part)),
    events: async query => {
      const { events, next, until } = await routes.events(query);
      const checked = events.map(({ threadId, resourceId, event }) => {
        return { threadId, resourceId, event: parseEvent(event) as LoggedEvent };
      });
      return { events: checked, until, ...(next !== undefined && { next }) };
    },
    exportThread: async threadId => (await send(encodePath`/api/threads/${threadId}/export`)).text(),
    importThread: (lines, thread = {}) => {
      const headers = { 'content-type': 'application/x-ndjson' };
      const path = `/api/threads/import${encodeQuery(thread)}`;
      return call(path, { method: 'POST', headers, body: lines }, threadInfo);
    },
    readRawLines: async (threadId, runId, part = {}) => {
      const path = `${encodePath`/api/threads/${threadId}/runs/${runId}/raw`}${encodeQuery(part)}`;
      const lines = (await (await send(path)).text()).split('\n').filter(line => line !== '');
      return lines.map(line => rawLineInfo.parse(JSON.parse(line)));
    },
    downloadFile: async (threadId, fileId) => (await send(encodePath`/api/threads/${threadId}/files/${fileId}`)).blob(),
    watch: (threadId, watchOptions = {}) => {
      const path = encodePath`/api/threads/${threadId}/events`;
      const open = (after: number, signal: AbortSignal) => openStream(`${path}?after=${after}`, signal);
      return watchEvents({ open, ...times }, watchOptions);
    },
    watchThreads: (watchOptions = {}) =>
      watchThreadNews({ open: signal => openStream('/api/changes', signal), ...times }, watchOptions),
    waitForRun: async (threadId, runId, { signal } = {}) => {
      // The seq is read first, so that the end of a run listed as open has a higher seq.
      const { seq } = await routes.getThread(threadId);
      const known = (await client.listRuns(threadId)).find(run => run.runId === runId);
      if (known?.endedAt !== undefined) return known;
      for await (const event of client.watch(threadId, { after: seq, ...defined({ signal }) }))
        if (event.type === 'harness_end' && event.runId === runId) break;
      signal?.throwIfAborted();
      return routes.getRun(threadId, runId);
    },
  };
  return client;
}

function otherServer(baseUrl: string): SingletreeError {
  return new SingletreeError('server_unreachable', `What answers at ${baseUrl || 'this address'} is another server.`);
}

async function reach(request: () => Promise<Response>, { signal }: RequestInit, baseUrl: string): Promise<Response> {
  try {
    return await request();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const server = baseUrl === '' ? 'The server' : `The server at ${baseUrl}`;
    throw new SingletreeError('server_unreachable', `${server} cannot be reached. Is it running?`, { cause });
  }
}
