import type { EventOf } from '../events/vocabulary.ts';
import { newId } from '../events/ids.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { RunAdditions } from '../events/run-additions.ts';
import type { RawLine } from '../log/event-log.ts';
import type { Message } from '../projections/message.ts';
import type { RelayState, RunState } from '../projections/run-state.ts';
import type { Answers, ChildStops, Session, SessionMcpServers, Steering } from './agent.ts';
import type { Spending } from './limits/spending.ts';
import type { Tool } from './loop/tool.ts';
import type { MemoryHost } from './memory/memory-host.ts';
import type { Memory } from './memory/memory.ts';
import type { ModelRegistry } from './model/registry/registry.ts';
import type { DecisionSource } from './permissions/decide.ts';

/** Where a run belongs, and what its caller passed for it: the same under every surface. */
export interface RunOrigin<Context = unknown> {
  readonly runId: string;
  /** The thread of the run; absent without a log. */
  readonly threadId?: string | undefined;
  /** Whose thread it is: a user, a project, a tenant. */
  readonly resourceId?: string | undefined;
  /** The name of the author of the message that it answers. */
  readonly by?: string | undefined;
  /** The value of `start(…, { context })`, or of `contextOf`. */
  readonly context: Context;
}

/** The run: where it belongs, how it works, and what stops it. */
export interface RunParams extends Partial<RunOrigin> {
  /** The id of the run; every event of the agent carries it. */
  readonly runId: string;
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** The cause of the run; the run's first event carries it. */
  readonly parentId?: string;
  /** The number of ancestor runs. Default: 0, a run that a person started. */
  readonly depth?: number;
  /** A `provider/model` id that replaces the agent's own. */
  readonly model?: string;
  /** The mode of the thread, such as `plan`; an agent without this mode uses its own default. */
  readonly mode?: string;
  /** The folder of the thread, instead of the agent's own; ignored by agents without the ability `usesFolder`. */
  readonly cwd?: string;
  /** What the client that asked for the run adds; only for agents with the ability `takesAdditions`. */
  readonly additions?: RunAdditions;
  /** The state of the run before its process ended: the agent resumes from it. */
  readonly resume?: RunState;
}

/** The conversation that a run continues. */
export interface ConversationParams {
  /** The conversation so far; the request is last. */
  readonly messages: readonly Message[];
  /** The id of the first message of the conversation, so that a summary of its beginning can refer to it. */
  readonly firstMessageId?: string;
  /** The id of the last message before the request, when the messages before it can be summarised on their own. */
  readonly previousMessageId?: string;
  /** The task list of the thread. */
  readonly tasks?: EventOf<'tasks'>['tasks'];
  /** Earlier decisions of people in the thread: grants beyond a single call still apply. */
  readonly decided?: readonly RelayState[];
  /** The external program's own session in which this conversation can continue. */
  readonly session?: Session;
  /** Whether others wrote the beginning of the conversation: programs get only the short list of variables. */
  readonly isImported?: boolean;
}

/** What the surface that runs an agent provides for it. */
export interface HostParams {
  /** The registry for model ids, for agents without a registry of their own. */
  readonly registry?: ModelRegistry;
  /** Tools to offer beside the agent's own; one of the same name replaces the agent's. */
  readonly tools?: readonly Tool[];
  /**
   * Names of tools that are not offered, including the agent's own and those of its subagents: a call of one is
   * answered like a call of an unknown tool. External programs, which have their own tools, ignore it.
   */
  readonly withheldTools?: readonly string[];
  /** Rules that apply beside the agent's own: the stricter decision wins. */
  readonly permissions?: readonly DecisionSource[];
  /** What the surface passes to its own tools: the `RequestContext` of a Harness, the `RuntimeContext` of a runtime. */
  readonly request?: unknown;
  /** Without it nobody can be asked, and calls that would be asked about are denied. */
  readonly answers?: Answers;
  /** Messages to add at the next safe point. */
  readonly steering?: Steering;
  /** Stops single subagents of the run, at any depth. */
  readonly childStops?: ChildStops;
  /** Counts what is spent, and reports when a limit is reached; checked before each model call. */
  readonly spending?: Spending;
  /** Observes the conversation instead of the agent's own memory. */
  readonly memory?: Memory;
  /** Runs the observer and the reflector; without it the agent compacts the conversation. */
  readonly memoryHost?: MemoryHost;
  /** MCP servers that an external program gets beside its own, by name; only for agents with the ability `takesMcpServers`. */
  readonly mcpServers?: SessionMcpServers;
  /** Receives each raw line of an external program before its events are made. */
  readonly raw?: (line: RawLine) => Promise<void>;
  /** The number of raw lines that a resumed run has already: its next line continues the count. Default: none. */
  readonly rawBefore?: number;
  /** Marks the processes that the run and its subagents start, so that a takeover of the run can end them. */
  readonly runMark?: string;
}

/** What an agent is invoked with. */
export interface InvokeParams {
  readonly run: RunParams;
  readonly conversation: ConversationParams;
  readonly host: HostParams;
}

/** What a caller of an agent of this package passes: an id and a signal are made when they are absent. */
export interface InvokeRequest {
  readonly run?: Partial<RunParams>;
  readonly conversation: ConversationParams;
  readonly host?: HostParams;
}

/** Completes what a caller passed. Throws `invalid_argument` when there is no conversation. */
export function toInvokeParams({ run = {}, conversation, host = {} }: InvokeRequest): InvokeParams {
  // Programs without types may pass the messages alone.
  if (!Array.isArray((conversation as unknown as ConversationParams | undefined)?.messages))
    throw new SingletreeError(
      'invalid_argument',
      'An agent is invoked with a conversation: `agent.invoke({ conversation: { messages: [{ role: "user", content: "Hello" }] } })`.',
    );
  const { runId = newId(), signal = new AbortController().signal } = run;
  return { run: { ...run, runId, signal }, conversation, host };
}

/** Returns where a run belongs, with its context as it was read. */
export function toRunOrigin(run: RunParams, context: unknown = run.context): RunOrigin {
  const { runId, threadId, resourceId, by } = run;
  return { runId, threadId, resourceId, by, context };
}
