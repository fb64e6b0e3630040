import * as z from 'zod';
import { type LoggedEvent, SingletreeError } from '../events/index.ts';
import {
  type AgentInfo,
  agentInfo,
  type MessageBody,
  type MessageReceipt,
  messageReceipt,
  type NewThreadBody,
  type RelayBody,
  type RetryBody,
  type SelectionBody,
  type ThreadInfo,
  threadInfo,
} from '../protocols/index.ts';
import { type Backoff, timerDelay } from './backoff.ts';
import { problemFrom } from './problem.ts';
import { type WatchOptions, watchEvents } from './watch.ts';

export interface ClientOptions extends Partial<Backoff> {
  /** Where the server is, such as `http://127.0.0.1:4747`; the page's own server when absent. */
  readonly baseUrl?: string;
  readonly fetch?: typeof globalThis.fetch;
  /** How long an event stream may be silent before it is opened again; 45 s when absent. */
  readonly idleMs?: number;
}

/** A server's HTTP API. Every rejection is a `SingletreeError`, with the server's own code where it told one. */
export interface Client {
  listAgents(): Promise<AgentInfo[]>;
  /** Newest first. */
  listThreads(filter?: { resourceId?: string; limit?: number }): Promise<ThreadInfo[]>;
  createThread(thread?: NewThreadBody): Promise<ThreadInfo>;
  getThread(threadId: string): Promise<ThreadInfo>;
  /** Stops the thread's runs and removes it. */
  deleteThread(threadId: string): Promise<void>;
  /**
   * Starts a run, or gives the message to the one under way (`steered`). One that edits another starts a branch, and is
   * refused with `run_under_way` while a run is.
   */
  sendMessage(threadId: string, message: MessageBody): Promise<MessageReceipt>;
  /** Asks an agent once more for what a message answered; both answers stay, as siblings. */
  retry(threadId: string, retry: RetryBody): Promise<MessageReceipt>;
  /** Makes a message the active one of its siblings. */
  selectBranch(threadId: string, selection: SelectionBody): Promise<void>;
  /** The first answer wins; a later one is refused with `relay_resolved`. */
  answerRelay(threadId: string, relayId: string, answer: RelayBody): Promise<void>;
  abortRun(runId: string): Promise<void>;
  /** The thread's events, then new ones as they come: no gap, no duplicate, across lost connections. */
  watch(threadId: string, options?: WatchOptions): AsyncIterable<LoggedEvent>;
}

const anything = z.unknown();
const threadList = z.looseObject({ threads: z.array(threadInfo) });
const agentList = z.looseObject({ agents: z.array(agentInfo) });

/** A client of a Singletree server, for browsers and Node. */
export function createClient(options: ClientOptions = {}): Client {
  const { baseUrl = '', idleMs = 45_000, delay = timerDelay, random = Math.random } = options;
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await reach(() => (options.fetch ?? globalThis.fetch)(`${baseUrl}/api/${path}`, init), init);
    if (response.ok) return response;
    throw problemFrom(await response.text().catch(() => ''), response.status);
  };
  const call = async <Schema extends z.ZodType>(schema: Schema, path: string, init: RequestInit = {}) => {
    const response = await send(path, init);
    const parsed = schema.safeParse(response.status === 204 ? undefined : await response.json().catch(() => undefined));
    if (parsed.success) return parsed.data;
    throw new SingletreeError('server_unreachable', `What answers at ${baseUrl || 'this address'} is another server.`);
  };

  return {
    listAgents: async () => (await call(agentList, 'agents')).agents,
    listThreads: async (filter = {}) => (await call(threadList, `threads${queryOf(filter)}`)).threads,
    createThread: (thread = {}) => call(threadInfo, 'threads', post(thread)),
    getThread: threadId => call(threadInfo, path`threads/${threadId}`),
    deleteThread: async threadId => void (await call(anything, path`threads/${threadId}`, { method: 'DELETE' })),
    sendMessage: (threadId, message) => call(messageReceipt, path`threads/${threadId}/messages`, post(message)),
    retry: (threadId, retry) => call(messageReceipt, path`threads/${threadId}/retries`, post(retry)),
    selectBranch: async (threadId, selection) =>
      void (await call(anything, path`threads/${threadId}/selection`, post(selection))),
    answerRelay: async (threadId, relayId, answer) =>
      void (await call(anything, path`threads/${threadId}/relays/${relayId}`, post(answer))),
    abortRun: async runId => void (await call(anything, path`runs/${runId}/abort`, post({}))),
    watch: (threadId, watchOptions = {}) => {
      const open = async (after: number, signal: AbortSignal) => {
        const response = await send(`${path`threads/${threadId}/events`}?after=${after}`, { signal });
        if (response.body) return response.body;
        throw new SingletreeError('server_unreachable', 'The event stream has no body.');
      };
      return watchEvents({ open, idleMs, delay, random }, watchOptions);
    },
  };
}

async function reach(request: () => Promise<Response>, { signal }: RequestInit): Promise<Response> {
  try {
    return await request();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new SingletreeError('server_unreachable', 'The server cannot be reached. Is it running?', { cause });
  }
}

function post(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function path(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent));
}

function queryOf(filter: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(filter)) if (value !== undefined) query.set(key, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}
