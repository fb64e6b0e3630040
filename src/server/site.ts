import { setMaxListeners } from 'node:events';
import { checkAgentIds } from '../agents/agent-ids.ts';
import { createRedactor, type GrowingRedactor } from '../agents/redaction/redactor.ts';
import type { RunStatus } from '../graph/conversation/record.ts';
import { defined } from '../base/defined.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { Conversations } from '../control/conversations/conversations.ts';
import type { Diagnostic } from '../base/diagnostics.ts';
import { standardError } from '../control/standard-output.ts';
import { checkOutsideRuns } from '../control/conversations/inside-run.ts';
import { redactPart } from '../agents/redaction/read-redacted.ts';
import { readWindow, type ThreadWindow, type WindowRequest } from '../log/window.ts';
import type { NewThread, Thread } from '../log/event-log.ts';
import type { Framing } from '../protocols/framing.ts';
import { type ProtocolRegistry, protocolRegistry } from '../protocols/registry.ts';
import type { ThreadInfo } from '../protocols/http-api.ts';
import { type AppOptions, checkAuthenticated } from './server-options.ts';
import { Metrics } from './metrics.ts';
import { RunStandings } from './run-standings.ts';
import { Access } from './security/access.ts';
import type { Authenticate, Scope } from './security/caller.ts';
import { isLoopback } from './security/request-guard.ts';
import type { EventText } from './security/redacted-texts.ts';
import { KeepAlive } from './streams/keep-alive.ts';
import { ThreadFeeds } from './streams/thread-feed.ts';
import { ThreadListFeed } from './thread-list-feed.ts';

/** The state shared by the routes of one server. All of it can be rebuilt from the log. */
export class Site {
  readonly options: AppOptions;
  /** Whether the server is reached from other machines. */
  readonly isPublic: boolean;
  /** The list of tokens; empty when the option `authenticate` decides. */
  readonly access: Access;
  readonly authenticate: Authenticate;
  readonly redactor: GrowingRedactor;
  readonly metrics: Metrics = new Metrics();
  readonly conversations: Conversations;
  readonly runs: RunStandings;
  readonly keepAlive: KeepAlive;
  readonly threadList: ThreadListFeed;
  readonly protocols: ProtocolRegistry;
  readonly #feeds = new Map<Framing, ThreadFeeds>();
  /** Ends every open stream. */
  readonly signal: AbortSignal;

  constructor(options: AppOptions) {
    const { log, tokens = [], secrets = [], signal = new AbortController().signal, keepAliveMs = 15_000 } = options;
    checkAgentIds('The server', options.agents.list());
    this.options = options;
    this.signal = signal;
    // Every open stream listens to it.
    setMaxListeners(0, signal);
    const { isPublic = false, hosts = [], authenticate } = options;
    if (authenticate !== undefined && tokens.length > 0)
      throw new SingletreeError('invalid_argument', 'Both `tokens` and `authenticate` were given. Give one of them.');
    const otherName = hosts.find(name => !isLoopback(name));
    this.isPublic = isPublic || otherName !== undefined;
    if (this.isPublic)
      checkAuthenticated(options, otherName === undefined ? 'answer other machines' : `answer "${otherName}"`);
    this.access = new Access(tokens, options.attempts);
    this.authenticate =
      authenticate ??
      (({ headers }, { address }) =>
        this.access.admit({
          authorization: headers.get('authorization') ?? undefined,
          cookie: headers.get('cookie') ?? undefined,
          address,
        }));
    this.redactor = createRedactor([...secrets, ...tokens.map(({ token }) => token)]);
    const { control, agents, snapshots, titles } = options;
    const onDiagnostic = (diagnostic: Diagnostic) => {
      this.metrics.countError(diagnostic.code);
      options.onDiagnostic?.(diagnostic);
    };
    this.conversations = new Conversations({ log, control, agents, snapshots, titles, signal, onDiagnostic });
    this.conversations.deliver();
    this.runs = new RunStandings(log, this.conversations);
    this.threadList = new ThreadListFeed({ log, describe: thread => this.listed(thread) });
    this.keepAlive = new KeepAlive(keepAliveMs);
    this.protocols = protocolRegistry(options.protocols);
  }

  /** The feeds shared by all readers of unencoded events in this framing. */
  feedsIn(framing: Framing): ThreadFeeds {
    const known = this.#feeds.get(framing);
    if (known !== undefined) return known;
    const encode = ({ seq, text }: EventText) => utf8.encode(framing.frame(text, seq));
    const feeds = new ThreadFeeds({ log: this.options.log, encode, redactor: this.redactor });
    this.#feeds.set(framing, feeds);
    return feeds;
  }

  /** Reports an unexpected failure. */
  readonly reportFailure = (error: unknown): void => {
    const { onFailure = shown => void standardError.write(`${this.redactor.text(describeFailure(shown))}\n`) } =
      this.options;
    onFailure(error);
  };

  readonly countEvents = (count: number): void => void (this.metrics.eventsSent += count);

  /** Returns the thread, when it exists and the request may see it. */
  find(scope: Scope, threadId: string): Promise<Thread> {
    return this.conversations.find(threadId, scope.resourceId);
  }

  /** Returns the thread with an id that its client chose, creating it when it is new. */
  async findOrCreate(scope: Scope, thread: NewThread & { readonly id: string }): Promise<Thread> {
    const { id } = await this.conversations.findOrCreate(thread, scope.resourceId);
    return this.findToSend(scope, id);
  }

  /** Returns the thread to send a message to; throws `request_forbidden` for a program started by its runs. */
  async findToSend(scope: Scope, threadId: string): Promise<Thread> {
    const thread = await this.find(scope, threadId);
    await checkOutsideRuns(this.options.log, thread, { marks: scope.runMarks });
    return thread;
  }

  /** Reads a window of a thread without the secrets that are split over fragments of one text. */
  async readWindow(threadId: string, request: WindowRequest): Promise<ThreadWindow> {
    const source = { log: this.options.log, redactor: this.redactor };
    const window = await readWindow(source.log, threadId, request);
    return { ...window, events: await redactPart(source, threadId, window) };
  }

  async toInfo(thread: Thread): Promise<ThreadInfo> {
    const { isPinned, isArchived, ...metadata } = thread.metadata;
    const { currentModeId: mode } = metadata;
    const { open: _, ...shown } = thread;
    const { state, runs, relays, problem } = await this.conversations.status(thread);
    return {
      ...shown,
      metadata,
      runs: runs.map(({ runId }) => ({ runId })),
      status: state,
      ...defined({ problem }),
      ...(relays.length > 0 && { waiting: [...relays] }),
      ...(typeof mode === 'string' && { mode }),
      ...(isPinned === true && { isPinned }),
      ...(isArchived === true && { isArchived }),
    };
  }

  /** A thread as a list shows it: with its last agent and folder, how it ended, what it cost, and a bounded title. */
  async listed(thread: Thread): Promise<ThreadInfo> {
    const { title, ...info } = await this.toInfo(thread);
    const { agentId, outcome, folder, origin: project, hasCode, usage } = await this.conversations.digests.of(thread);
    const { cost } = usage;
    return {
      ...info,
      ...(title !== undefined && { title: shortTitle(title) }),
      ...defined({ agentId, cost, outcome, folder, project, hasCode }),
      status: info.status === 'idle' ? endedStatus(outcome) : info.status,
    };
  }
}

function describeFailure(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const longestTitle = 200;

function shortTitle(title: string): string {
  return title.length > longestTitle ? `${title.slice(0, longestTitle)}…` : title;
}

/** Returns the status of a thread without an active run. */
function endedStatus(outcome: RunStatus | undefined): 'failed' | 'done' | 'idle' {
  if (outcome === undefined) return 'idle';
  return outcome === 'complete' || outcome === 'aborted' ? 'done' : 'failed';
}

const utf8 = new TextEncoder();
