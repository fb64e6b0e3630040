import * as z from 'zod';
import type { EventPage, EventQuery } from '../events/event-query.ts';
import type { LoggedEvent } from '../events/vocabulary.ts';
import { newId } from '../events/ids.ts';
import { parseEvent } from '../events/parse.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { optionsCheck } from '../base/options/check-options.ts';
import { callback, field, milliseconds, text } from '../base/options/option-fields.ts';
import {
  type BranchBody,
  type FileInfo,
  fileInfo,
  eventPageInfo,
  type MessageBody,
  type MessageReceipt,
  messageReceipt,
  type NewThreadBody,
  type QueuedBody,
  type QueuedMessage,
  queuedMessage,
  type RawLineInfo,
  rawLineInfo,
  type RelayBody,
  type DecisionInfo,
  decisionInfo,
  type RelayInfo,
  relayInfo,
  type ThreadChangeBody,
  type ThreadNews,
  type RetryBody,
  type RunInfo,
  runInfo,
  type SearchInfo,
  searchInfo,
  type SelectionBody,
  type ThreadInfo,
  threadInfo,
  type UsageInfo,
  usageInfo,
  type UsageTotalInfo,
  usageTotalInfo,
  windowInfo,
} from '../protocols/http-api.ts';
import {
  type AgentInfo,
  agentInfo,
  type MentionInfo,
  mentionInfo,
  type SetupInfo,
  setupInfo,
} from '../protocols/http-agents.ts';
import {
  type ComparisonBody,
  type ComparisonInfo,
  comparisonInfo,
  type KeptInfo,
  keptInfo,
  type PatchInfo,
  patchInfo,
  type WorktreeInfo,
  worktreeInfo,
  type BaseInfo,
  baseInfo,
  type RewindBody,
  type RewindInfo,
  rewindInfo,
} from '../protocols/http-folders.ts';
import {
  type SessionImportBody,
  type SessionImportInfo,
  sessionImportInfo,
  type SessionInfo,
  sessionInfo,
} from '../protocols/http-sessions.ts';
import { type Backoff, timerDelay } from './backoff.ts';
import type { MentionSearch, RawLinePart, ThreadSearch, UsageSearch, WordSearch } from './client-queries.ts';
import { repeatWhileUnreachable } from './repeat-request.ts';
import { problemFrom } from './problem.ts';
import { path, post, queryOf } from './request-parts.ts';
import { type ProjectClient, projectClient } from './project-client.ts';
import { type WatchOptions, watchEvents } from './watch.ts';
import { type ThreadWatchOptions, watchThreadNews } from './watch-threads.ts';
import type { WindowOfThread, WindowPart } from '../projections/reading/ranges/thread-window.ts';
import { windowOf } from './window.ts';

export interface ClientOptions extends Partial<Backoff> {
  /** Where the server is, such as `http://127.0.0.1:4747`, or the path where the page's own server has it; its root when absent. */
  readonly baseUrl?: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Opens a server that needs one; a page that is signed in has a cookie instead. */
  readonly token?: string;
  /** How long an event stream may be silent before it is opened again; 45 s when absent. */
  readonly idleMs?: number;
}

/** A server's HTTP API. Every rejection is a `SingletreeError`, with the server's own code where it sent one. */
export interface Client extends ProjectClient {
  /** The agents of the folder that the server was started in, or of an open project. */
  listAgents(place?: { readonly folder?: string | undefined }): Promise<AgentInfo[]>;
  /** Newest first. */
  listThreads(filter?: ThreadSearch): Promise<ThreadInfo[]>;
  /** One page of threads, newest first; `next` is the cursor of the page after it. */
  searchThreads(filter?: ThreadSearch): Promise<{ threads: ThreadInfo[]; next?: string | undefined }>;
  /** With an `id` that a thread of the caller has, it returns that thread. */
  createThread(thread?: NewThreadBody): Promise<ThreadInfo>;
  getThread(threadId: string): Promise<ThreadInfo>;
  /** Renames, pins or archives a thread. */
  changeThread(threadId: string, change: ThreadChangeBody): Promise<ThreadInfo>;
  /** What waits or runs now, then every change in the list of threads. After a lost connection it begins anew. */
  watchThreads(options?: ThreadWatchOptions): AsyncIterable<ThreadNews>;
  /** A new thread that shares the events up to a seq or a message, and continues with a message to any agent. */
  branchThread(threadId: string, branch?: BranchBody): Promise<ThreadInfo>;
  /** Takes turns back from a user message on, with the files that their calls changed; or only reports what that would do. */
  undo(threadId: string, request?: RewindBody): Promise<RewindInfo>;
  /** Takes up again what the undo that made a thread took back. */
  redo(threadId: string, request?: Omit<RewindBody, 'messageId'>): Promise<RewindInfo>;
  /** Compares the folder of a thread with the commit that its work is based on. */
  baseChanges(threadId: string): Promise<BaseInfo>;
  /** The events of a thread, one JSON value on each line. */
  exportThread(threadId: string): Promise<string>;
  /** A new thread from what `exportThread` gave. */
  importThread(lines: string, thread?: NewThreadBody): Promise<ThreadInfo>;
  /** Stops the thread's runs and removes it. */
  deleteThread(threadId: string): Promise<void>;
  /**
   * Starts a run, or gives the message to the one under way (`steered`). One that edits another starts a branch, and is
   * refused with `run_under_way` while a run is. It is sent again when the connection is lost, and received once: by
   * its `id`, which is made here when absent.
   */
  sendMessage(threadId: string, message: MessageBody): Promise<MessageReceipt>;
  /** Starts several agents with one request, each in a thread and, in a git repository, a worktree of its own. */
  startComparison(comparison: ComparisonBody): Promise<ComparisonInfo>;
  /** The git worktrees of all threads, oldest first. */
  listWorktrees(): Promise<WorktreeInfo[]>;
  /** The worktree of a thread and what was changed in it; refused with `not_found` when it has none. */
  getWorktree(threadId: string): Promise<WorktreeInfo>;
  /** The hunks of a file that was changed in the worktree of a thread. */
  readPatch(threadId: string, filePath: string): Promise<PatchInfo>;
  /** Applies the changes of a worktree to the original folder, all or none; refused with `apply_conflict`. */
  keepWorktree(threadId: string): Promise<KeptInfo>;
  /** Removes the worktree of a thread; refused with `worktree_changed` when changes would be lost, unless forced. */
  removeWorktree(threadId: string, options?: { readonly force?: boolean }): Promise<void>;
  /** The sessions of external agents on the machine of the server, newest first; refused with `not_found` when it looks for none. */
  listSessions(): Promise<SessionInfo[]>;
  /** Imports a listed session, or what was added to it since. */
  importSession(sessionId: string, options?: SessionImportBody): Promise<SessionImportInfo>;
  /** The messages that wait until the run under way has ended, in the order of their delivery. */
  listQueue(threadId: string): Promise<QueuedMessage[]>;
  /** Changes, moves or holds a message that waits; refused with `not_found` when it was delivered. */
  changeQueued(threadId: string, messageId: string, change: QueuedBody): Promise<void>;
  removeQueued(threadId: string, messageId: string): Promise<void>;
  /** Sends a message that waits into the run under way. */
  sendQueued(threadId: string, messageId: string): Promise<MessageReceipt>;
  /** Asks an agent once more for what a message answered; both answers stay, as siblings. */
  retry(threadId: string, retry: RetryBody): Promise<MessageReceipt>;
  /** Makes a message the active one of its siblings. */
  selectBranch(threadId: string, selection: SelectionBody): Promise<void>;
  /** The first answer wins; a later one is refused with `relay_resolved`. */
  answerRelay(threadId: string, relayId: string, answer: RelayBody): Promise<void>;
  /** What waits for a person in all threads, oldest first. */
  listRelays(filter?: { readonly threadId?: string }): Promise<RelayInfo[]>;
  /** What was decided in all threads, by whom and when; `next` is the cursor of the page after it. */
  listDecisions(page?: { readonly limit?: number; readonly cursor?: string }): Promise<{
    decisions: DecisionInfo[];
    next?: string | undefined;
  }>;
  /** Which agents and providers of models are known, and how to add what is missing. */
  getSetup(place?: { readonly folder?: string | undefined }): Promise<SetupInfo>;
  /** Stops one subagent; the run that started it continues. */
  stopSubagent(threadId: string, runId: string): Promise<void>;
  /** Stops a run and everything it started. */
  abortRun(runId: string): Promise<void>;
  listRuns(threadId: string): Promise<RunInfo[]>;
  getRun(threadId: string, runId: string): Promise<RunInfo>;
  /** Resolves when a run has ended, with how; rejects when the signal aborts. A run that waits for a person is waited for. */
  waitForRun(threadId: string, runId: string, options?: { readonly signal?: AbortSignal }): Promise<RunInfo>;
  /** What the program of a run printed: all, or some lines after a number. */
  readRawLines(threadId: string, runId: string, part?: RawLinePart): Promise<RawLineInfo[]>;
  listFiles(threadId: string): Promise<FileInfo[]>;
  downloadFile(threadId: string, fileId: string): Promise<Blob>;
  /** What a thread cost: in all, and by run, agent, model and tool. */
  getUsage(threadId: string): Promise<UsageInfo>;
  /** Tokens and cost over all threads, for each day, agent, model or resource that `by` names. */
  sumUsage(query?: UsageSearch): Promise<UsageTotalInfo[]>;
  /**
   * One page of the events of all threads: thread by thread, in order within one. `next` is the cursor of the page after it;
   * `until` is the `since` of the next reading, which has what came meanwhile. Readings may share events: thread and seq name one.
   */
  events(query?: EventQuery): Promise<EventPage>;
  /** Files of the folder of a thread, or of the server, that a message can mention. */
  findMentions(query: MentionSearch): Promise<MentionInfo[]>;
  /** Messages and titles that have all the words, the newest first. */
  search(query: WordSearch): Promise<SearchInfo>;
  /** A part of a thread that can be read by itself, its end when nothing else is named. */
  readWindow(threadId: string, part?: WindowPart): Promise<WindowOfThread>;
  /** The thread's events, then new ones as they come: no gap, no duplicate, across lost connections. */
  watch(threadId: string, options?: WatchOptions): AsyncIterable<LoggedEvent>;
}

const anything = z.unknown();
const threadList = z.looseObject({ threads: z.array(threadInfo), next: z.string().optional() });
const worktreeList = z.looseObject({ worktrees: z.array(worktreeInfo) });
const sessionList = z.looseObject({ sessions: z.array(sessionInfo) });
const queueList = z.looseObject({ messages: z.array(queuedMessage) });
const relayList = z.looseObject({ relays: z.array(relayInfo) });
const decisionList = z.looseObject({ decisions: z.array(decisionInfo), next: z.string().optional() });
const runList = z.looseObject({ runs: z.array(runInfo) });
const fileList = z.looseObject({ files: z.array(fileInfo) });
const usageList = z.looseObject({ totals: z.array(usageTotalInfo) });
const agentList = z.looseObject({ agents: z.array(agentInfo) });
const mentionList = z.looseObject({ files: z.array(mentionInfo) });

const checkOptions = optionsCheck(
  'createClient',
  () =>
    ({
      baseUrl: field(
        value => typeof value === 'string' && /^(https?:\/\/|\/|$)/.test(value),
        'an address such as "http://127.0.0.1:4747", or a path of the own server such as "/agents"',
      ).optional(),
      fetch: callback().optional(),
      token: text().optional(),
      idleMs: milliseconds().optional(),
      delay: callback().optional(),
      random: callback().optional(),
    }) satisfies Record<keyof ClientOptions, z.ZodType>,
);

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
    const url = `${baseUrl}/api/${path}`;
    const request = () => (options.fetch ?? globalThis.fetch)(url, { ...init, headers });
    const response = await reach(request, init, baseUrl);
    if (response.ok) return response;
    // A body that was cut off says less, but the status remains.
    throw problemFrom(await response.text().catch(() => ''), response.status);
  };
  const call = async <Schema extends z.ZodType>(schema: Schema, path: string, init: RequestInit = {}) => {
    const response = await send(path, init);
    // What is no JSON fails the check below.
    const parsed = schema.safeParse(response.status === 204 ? undefined : await response.json().catch(() => undefined));
    if (parsed.success) return parsed.data;
    throw otherServer(baseUrl);
  };

  const watch: Client['watch'] = (threadId, watchOptions = {}) => {
    const open = async (after: number, signal: AbortSignal) => {
      return streamOf(await send(`${path`threads/${threadId}/events`}?after=${after}`, { signal }), baseUrl);
    };
    return watchEvents({ open, idleMs, delay, random }, watchOptions);
  };
  const listRuns = async (threadId: string) => (await call(runList, path`threads/${threadId}/runs`)).runs;

  return {
    ...projectClient(call),
    listAgents: async (place = {}) => (await call(agentList, `agents${queryOf(place)}`)).agents,
    listThreads: async (filter = {}) => (await call(threadList, `threads${queryOf(filter)}`)).threads,
    searchThreads: (filter = {}) => call(threadList, `threads${queryOf(filter)}`),
    createThread: (thread = {}) => call(threadInfo, 'threads', post(thread)),
    getThread: threadId => call(threadInfo, path`threads/${threadId}`),
    changeThread: (threadId, change) =>
      call(threadInfo, path`threads/${threadId}`, { ...post(change), method: 'PATCH' }),
    watchThreads: (watchOptions = {}) => {
      const open = async (signal: AbortSignal) => streamOf(await send('changes', { signal }), baseUrl);
      return watchThreadNews({ open, idleMs, delay, random }, watchOptions);
    },
    branchThread: (threadId, branch = {}) => call(threadInfo, path`threads/${threadId}/branches`, post(branch)),
    undo: (threadId, request = {}) => call(rewindInfo, path`threads/${threadId}/undo`, post(request)),
    redo: (threadId, request = {}) => call(rewindInfo, path`threads/${threadId}/redo`, post(request)),
    baseChanges: threadId => call(baseInfo, path`threads/${threadId}/base-changes`),
    exportThread: async threadId => (await send(path`threads/${threadId}/export`)).text(),
    importThread: (lines, thread = {}) =>
      call(threadInfo, `threads/import${queryOf(thread)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: lines,
      }),
    deleteThread: async threadId => void (await call(anything, path`threads/${threadId}`, { method: 'DELETE' })),
    sendMessage: (threadId, message) => {
      const request = post({ ...message, id: message.id ?? newId() });
      const sendOnce = () => call(messageReceipt, path`threads/${threadId}/messages`, request);
      return repeatWhileUnreachable(sendOnce, { delay, random });
    },
    startComparison: comparison => call(comparisonInfo, 'comparisons', post(comparison)),
    listWorktrees: async () => (await call(worktreeList, 'worktrees')).worktrees,
    getWorktree: threadId => call(worktreeInfo, path`threads/${threadId}/worktree`),
    readPatch: (threadId, filePath) =>
      call(patchInfo, `${path`threads/${threadId}/worktree/patch`}${queryOf({ path: filePath })}`),
    keepWorktree: threadId => call(keptInfo, path`threads/${threadId}/worktree/keep`, post({})),
    removeWorktree: async (threadId, options = {}) =>
      void (await call(anything, `${path`threads/${threadId}/worktree`}${queryOf(options)}`, { method: 'DELETE' })),
    listSessions: async () => (await call(sessionList, 'sessions')).sessions,
    importSession: (sessionId, options = {}) =>
      call(sessionImportInfo, path`sessions/${sessionId}/import`, post(options)),
    listQueue: async threadId => (await call(queueList, path`threads/${threadId}/queue`)).messages,
    changeQueued: async (threadId, messageId, change) =>
      void (await call(anything, path`threads/${threadId}/queue/${messageId}`, { ...post(change), method: 'PATCH' })),
    removeQueued: async (threadId, messageId) =>
      void (await call(anything, path`threads/${threadId}/queue/${messageId}`, { method: 'DELETE' })),
    sendQueued: (threadId, messageId) =>
      call(messageReceipt, path`threads/${threadId}/queue/${messageId}/send`, post({})),
    retry: (threadId, retry) => call(messageReceipt, path`threads/${threadId}/retries`, post(retry)),
    selectBranch: async (threadId, selection) =>
      void (await call(anything, path`threads/${threadId}/selection`, post(selection))),
    answerRelay: async (threadId, relayId, answer) =>
      void (await call(anything, path`threads/${threadId}/relays/${relayId}`, post(answer))),
    listRelays: async (filter = {}) => (await call(relayList, `relays${queryOf(filter)}`)).relays,
    listDecisions: (page = {}) => call(decisionList, `decisions${queryOf(page)}`),
    getSetup: (place = {}) => call(setupInfo, `setup${queryOf(place)}`),
    listRuns,
    waitForRun: async (threadId, runId, { signal } = {}) => {
      // The seq is read first: a run that is listed as open after it has its end after it.
      const { seq } = await call(threadInfo, path`threads/${threadId}`);
      const known = (await listRuns(threadId)).find(run => run.runId === runId);
      if (known?.endedAt !== undefined) return known;
      for await (const event of watch(threadId, { after: seq, ...(signal && { signal }) }))
        if (event.type === 'harness_end' && event.runId === runId) break;
      signal?.throwIfAborted();
      return call(runInfo, path`threads/${threadId}/runs/${runId}`);
    },
    getRun: (threadId, runId) => call(runInfo, path`threads/${threadId}/runs/${runId}`),
    readRawLines: async (threadId, runId, part = {}) =>
      linesOf(await (await send(`${path`threads/${threadId}/runs/${runId}/raw`}${queryOf(part)}`)).text()),
    listFiles: async threadId => (await call(fileList, path`threads/${threadId}/files`)).files,
    downloadFile: async (threadId, fileId) => (await send(path`threads/${threadId}/files/${fileId}`)).blob(),
    getUsage: threadId => call(usageInfo, path`threads/${threadId}/usage`),
    sumUsage: async (query = {}) =>
      (await call(usageList, `usage${queryOf({ ...query, by: query.by?.join() })}`)).totals,
    events: async (query = {}) => {
      const { events, next, until } = await call(
        eventPageInfo,
        `events${queryOf({ ...query, types: query.types?.join() })}`,
      );
      const checked = events.map(({ threadId, resourceId, event }) => {
        return { threadId, resourceId, event: parseEvent(event) as LoggedEvent };
      });
      return { events: checked, until, ...(next !== undefined && { next }) };
    },
    findMentions: async query => (await call(mentionList, `mentions${queryOf(query)}`)).files,
    search: query => call(searchInfo, `search${queryOf(query)}`),
    readWindow: async (threadId, part = {}) =>
      windowOf(await call(windowInfo, `${path`threads/${threadId}/window`}${queryOf(part)}`)),
    stopSubagent: async (threadId, runId) =>
      void (await call(anything, path`threads/${threadId}/runs/${runId}/stop`, post({}))),
    abortRun: async runId => void (await call(anything, path`runs/${runId}/abort`, post({}))),
    watch,
  };
}

function otherServer(baseUrl: string): SingletreeError {
  return new SingletreeError('server_unreachable', `What answers at ${baseUrl || 'this address'} is another server.`);
}

/** The events of a response; throws `server_unreachable` when they are no event stream. */
function streamOf({ body, headers }: Response, baseUrl: string): ReadableStream<Uint8Array> {
  if (body && headers.get('content-type')?.startsWith('text/event-stream')) return body;
  throw otherServer(baseUrl);
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

function linesOf(text: string): RawLineInfo[] {
  return text.split('\n').flatMap(line => (line === '' ? [] : [rawLineInfo.parse(JSON.parse(line))]));
}
