import type { EventPage, EventQuery } from '../events/event-query.ts';
import type { LoggedEvent } from '../events/vocabulary.ts';
import type { WindowOfThread, WindowPart } from '../projections/reading/ranges/thread-window.ts';
import type { AgentInfo, MentionInfo, SetupInfo } from '../protocols/http-agents.ts';
import type {
  BranchBody,
  DecisionInfo,
  FileInfo,
  MessageBody,
  MessageReceipt,
  NewThreadBody,
  QueuedBody,
  QueuedMessage,
  RawLineInfo,
  RelayBody,
  RelayInfo,
  RetryBody,
  RunInfo,
  SearchInfo,
  SelectionBody,
  ThreadChangeBody,
  ThreadInfo,
  ThreadNews,
  UsageInfo,
  UsageTotalInfo,
} from '../protocols/http-api.ts';
import type {
  BaseInfo,
  ComparisonBody,
  ComparisonInfo,
  FolderList,
  KeptInfo,
  PatchInfo,
  ProjectInfo,
  RewindBody,
  RewindInfo,
  TrustBody,
  WorktreeInfo,
} from '../protocols/http-folders.ts';
import type { SessionImportBody, SessionImportInfo, SessionInfo } from '../protocols/http-sessions.ts';
import type {
  GrantInfo,
  ModelProviderBody,
  ModelProviderInfo,
  ModelProviderTest,
  RulesInfo,
  SavedRuleBody,
} from '../protocols/http-settings.ts';
import type { Backoff } from './backoff.ts';
import type { ThreadWatchOptions, WatchOptions } from './watch.ts';

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
export interface Client {
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
  /** Yields the active threads, then every change in the thread list; starts over after a lost connection. */
  watchThreads(options?: ThreadWatchOptions): AsyncIterable<ThreadNews>;
  /** A new thread that shares the events up to a seq or a message, and continues with a message to any agent. */
  branchThread(threadId: string, branch?: BranchBody): Promise<ThreadInfo>;
  /** Undoes the turns from a user message on, including file changes of their calls; or only previews the result. */
  undo(threadId: string, request?: RewindBody): Promise<RewindInfo>;
  /** Redoes the turns that were removed by the undo that created a thread. */
  redo(threadId: string, request?: Omit<RewindBody, 'messageId'>): Promise<RewindInfo>;
  /** Compares the folder of a thread with the commit that its work is based on. */
  baseChanges(threadId: string): Promise<BaseInfo>;
  /** The events of a thread, one JSON value on each line. */
  exportThread(threadId: string): Promise<string>;
  /** Creates a thread from the output of `exportThread`. */
  importThread(lines: string, thread?: NewThreadBody): Promise<ThreadInfo>;
  /** Stops the thread's runs and removes it. */
  deleteThread(threadId: string): Promise<void>;
  /**
   * Starts a run, or adds the message to the active run (`steered`). A message that edits another one starts a branch;
   * it is refused with `run_under_way` while a run is active. It is sent again when the connection is lost, and
   * received once: its `id`, generated when absent, is the idempotency key.
   */
  sendMessage(threadId: string, message: MessageBody): Promise<MessageReceipt>;
  /** Starts several agents with one request, each in a new thread and, in a git repository, a new worktree. */
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
  /** Lists the sessions of external agents on the server's machine, newest first; `not_found` without imports. */
  listSessions(): Promise<SessionInfo[]>;
  /** Imports a listed session, or what was added to it since. */
  importSession(sessionId: string, options?: SessionImportBody): Promise<SessionImportInfo>;
  /** Lists the messages queued until the active run has ended, in the order of their delivery. */
  listQueue(threadId: string): Promise<QueuedMessage[]>;
  /** Changes, moves or holds a queued message; refused with `not_found` when it was delivered. */
  changeQueued(threadId: string, messageId: string, change: QueuedBody): Promise<void>;
  removeQueued(threadId: string, messageId: string): Promise<void>;
  /** Sends a queued message into the active run. */
  sendQueued(threadId: string, messageId: string): Promise<MessageReceipt>;
  /** Regenerates the answer to a message; both answers remain as siblings. */
  retry(threadId: string, retry: RetryBody): Promise<MessageReceipt>;
  /** Makes a message the active one of its siblings. */
  selectBranch(threadId: string, selection: SelectionBody): Promise<void>;
  /** The first answer wins; a later one is refused with `relay_resolved`. */
  answerRelay(threadId: string, relayId: string, answer: RelayBody): Promise<void>;
  /** Lists the pending relays of all threads, oldest first. */
  listRelays(filter?: { readonly threadId?: string }): Promise<RelayInfo[]>;
  /** Lists the settled relays of all threads with their author and time; `next` is the cursor of the next page. */
  listDecisions(page?: { readonly limit?: number; readonly cursor?: string }): Promise<{
    decisions: DecisionInfo[];
    next?: string | undefined;
  }>;
  /** Returns the known agents and model providers, and how to add missing ones. */
  getSetup(place?: { readonly folder?: string | undefined }): Promise<SetupInfo>;
  /** Stops one subagent; the run that started it continues. */
  stopSubagent(threadId: string, runId: string): Promise<void>;
  /** Stops a run and everything it started. */
  abortRun(runId: string): Promise<void>;
  listRuns(threadId: string): Promise<RunInfo[]>;
  getRun(threadId: string, runId: string): Promise<RunInfo>;
  /** Resolves with a run when it has ended, also after it waited for a user; rejects when the signal aborts. */
  waitForRun(threadId: string, runId: string, options?: { readonly signal?: AbortSignal }): Promise<RunInfo>;
  /** Reads the raw output lines of a run's program: all of them, or a part after a line number. */
  readRawLines(threadId: string, runId: string, part?: RawLinePart): Promise<RawLineInfo[]>;
  listFiles(threadId: string): Promise<FileInfo[]>;
  downloadFile(threadId: string, fileId: string): Promise<Blob>;
  /** Returns the usage of a thread: in total, and by run, agent, model and tool. */
  getUsage(threadId: string): Promise<UsageInfo>;
  /** Tokens and cost over all threads, for each day, agent, model or resource that `by` names. */
  sumUsage(query?: UsageSearch): Promise<UsageTotalInfo[]>;
  /**
   * Returns one page of the events of all threads, grouped by thread and ordered within each. `next` is the cursor of
   * the next page. Pass `until` as `since` of the next read to get newer events. Reads may overlap: thread and seq
   * identify an event.
   */
  events(query?: EventQuery): Promise<EventPage>;
  /** Files of the folder of a thread, or of the server, that a message can mention. */
  findMentions(query: MentionSearch): Promise<MentionInfo[]>;
  /** Messages and titles that have all the words, the newest first. */
  search(query: WordSearch): Promise<SearchInfo>;
  /** A part of a thread that can be read by itself, its end when nothing else is named. */
  readWindow(threadId: string, part?: WindowPart): Promise<WindowOfThread>;
  /** Yields the events of a thread, then new ones live, without gap or duplicate across lost connections. */
  watch(threadId: string, options?: WatchOptions): AsyncIterable<LoggedEvent>;
  /** The folders that were opened as projects, the newest first; a server without projects refuses with `not_found`. */
  listProjects(): Promise<ProjectInfo[]>;
  openProject(folder: string): Promise<ProjectInfo>;
  /** Trusts the configuration of a project as described by the lines that the user has read. */
  trustProject(request: TrustBody): Promise<ProjectInfo>;
  /** Lists the subfolders of a folder, or the root folders. */
  listFolders(path?: string): Promise<FolderList>;
  /** Lets the next turns of a thread work in another open project. */
  moveThread(threadId: string, folder: string): Promise<ThreadInfo>;
  /** Lists the model providers and the source of each key. */
  listProviders(): Promise<ModelProviderInfo[]>;
  storeProvider(provider: ModelProviderBody): Promise<ModelProviderInfo[]>;
  testProvider(id: string): Promise<ModelProviderTest>;
  removeProvider(id: string): Promise<void>;
  /** The rules in effect, the MCP servers and the skills of a project. */
  getRules(place?: { readonly folder?: string | undefined }): Promise<RulesInfo>;
  /** Saves a rule for all conversations: one command that a tool may run without asking. */
  saveRule(rule: SavedRuleBody): Promise<void>;
  removeRule(id: string): Promise<void>;
  /** Lists the permissions that users granted for longer than one call. */
  listGrants(): Promise<GrantInfo[]>;
  revokeGrant(threadId: string, relayId: string): Promise<void>;
}

/** Selects the output lines to read. */
export interface RawLinePart {
  /** Only lines with a higher number. */
  readonly after?: number;
  readonly limit?: number;
}

/** The query of `findMentions`. */
export interface MentionSearch {
  /** Characters that the path must contain in this order. */
  readonly query?: string;
  readonly threadId?: string;
  /** The open project to search, without a thread. */
  readonly folder?: string;
  readonly limit?: number;
}

/** The query of `sumUsage`. */
export interface UsageSearch {
  /** The first day and the last, in UTC, such as `2026-01-31`. */
  readonly from?: string;
  readonly to?: string;
  readonly resourceId?: string;
  /** With `tool`, tool calls are summed instead of model calls. */
  readonly by?: readonly ('day' | 'agent' | 'model' | 'resource' | 'thread' | 'tool')[];
}

/** The query of `search`. */
export interface WordSearch {
  readonly text: string;
  readonly resourceId?: string;
  /** 20 when absent. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
}

/** The query of `listThreads` and `searchThreads`. */
export interface ThreadSearch {
  readonly resourceId?: string;
  readonly limit?: number;
  /** Words that are in the title. */
  readonly query?: string;
  /** `next` of the page before. */
  readonly cursor?: string;
}
