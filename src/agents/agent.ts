import { type AgentEvent, type ContentPart, type EventOf, newId } from '../events/index.ts';
import type { RunAdditions } from '../events/run-additions.ts';
import type { RawLine } from '../log/index.ts';
import type { Message } from '../projections/message.ts';
import type { RelayState, RunState } from '../projections/run-state.ts';
import type { Spending } from './limits/spending.ts';
import type { ModelTool, Tool } from './loop/tool.ts';
import type { McpServersConfig } from './mcp/mcp-server.ts';
import type { MemoryHost } from './memory/memory-host.ts';
import type { Memory } from './memory/memory.ts';
import type { ModelRegistry } from './model/registry/registry.ts';
import type { DecisionSource } from './permissions/decide.ts';
import type { TitleRequest } from './titles/title-agent.ts';
import type { AgentRunOptions } from './run-agent.ts';
import type { RunResult } from './run-result.ts';

/** A message that a person sends during a run. */
export interface UserMessage {
  readonly id: string;
  readonly content: string | readonly ContentPart[];
  /** The name of its author. */
  readonly by?: string;
}

/** The answer to a relay, as stored in the log. */
export type RelayAnswer = Omit<EventOf<'relay_resolved'>, 'type' | 'runId'>;

/** The source of answers to relays. */
export interface Answers {
  /** Resolves with the answer, also an earlier one; rejects when the signal aborts. */
  wait(relayId: string, signal: AbortSignal): Promise<RelayAnswer>;
  /** Closes a relay that its agent no longer waits for, with the reason; does nothing when it has an answer. */
  cancel?(relay: Pick<EventOf<'relay'>, 'id' | 'runId'>, reason: string): Promise<void>;
}

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

/** Returns where a run belongs, with its context as it was read. */
export function toRunOrigin(params: InvokeParams, context: unknown = params.context): RunOrigin {
  const { runId, threadId, resourceId, by } = params;
  return { runId, threadId, resourceId, by, context };
}

export interface InvokeParams extends Partial<RunOrigin> {
  /** The id of the run; every event of the agent carries it. */
  readonly runId: string;
  /** The conversation so far; the request is last. */
  readonly messages: readonly Message[];
  /** A `provider/model` id that replaces the agent's own. */
  readonly model?: string;
  /** The mode of the thread, such as `plan`; an agent without this mode uses its own default. */
  readonly mode?: string;
  /** The folder of the thread, instead of the agent's own; ignored by agents without `usesFolder`. */
  readonly cwd?: string;
  /** Whether others wrote the beginning of the conversation: programs get only the short list of variables. */
  readonly isImported?: boolean;
  /** The task list of the thread. */
  readonly tasks?: EventOf<'tasks'>['tasks'];
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
  /** What the surface that runs it passes to its own tools: the `RequestContext` of a Harness, the `RuntimeContext` of a runtime. */
  readonly request?: unknown;
  /** The id of the first message of the conversation, so that a summary of its beginning can refer to it. */
  readonly firstMessageId?: string;
  /** The id of the last message before the request, when the messages before it can be summarised on their own. */
  readonly previousMessageId?: string;
  /** Observes the conversation instead of the agent's own memory. */
  readonly memory?: Memory;
  /** Runs the observer and the reflector; without it the agent compacts the conversation. */
  readonly memoryHost?: MemoryHost;
  /** The external program's own session in which this conversation can continue. */
  readonly session?: Session;
  /** What the client that asked for the run adds; only for agents with `takesAdditions`. */
  readonly additions?: RunAdditions;
  /** MCP servers that an external program gets beside its own, by name; only for agents with `takesMcpServers`. */
  readonly mcpServers?: SessionMcpServers;
  /** Receives each raw line of an external program before its events are made. */
  readonly raw?: (line: RawLine) => Promise<void>;
  /** The number of raw lines that a resumed run has already: its next line continues the count. Default: none. */
  readonly rawBefore?: number;
  /** Counts what is spent, and reports when a limit is reached; checked before each model call. */
  readonly spending?: Spending;
  /** The number of ancestor runs. Default: 0, a run that a person started. */
  readonly depth?: number;
  /** Marks the processes that the run and its subagents start, so that a takeover of the run can end them. */
  readonly runMark?: string;
  /** The cause of the run; the run's first event carries it. */
  readonly parentId?: string;
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** The state of the run before its process ended: the agent resumes from it. */
  readonly resume?: RunState;
  /** Earlier decisions of people in the thread: grants beyond a single call still apply. */
  readonly decided?: readonly RelayState[];
  /** Without it nobody can be asked, and calls that would be asked about are denied. */
  readonly answers?: Answers;
  /** Messages to add at the next safe point. */
  readonly steering?: Steering;
  /** Stops single subagents of the run, at any depth. */
  readonly childStops?: ChildStops;
}

/** A way in which an agent works, such as planning. */
export interface AgentMode {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

/** Something that can be asked of an agent with a slash: `/name argument`. */
export interface AgentCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** The message that it sends; `{argument}` stands for what is written after it. */
  readonly sends: string;
}

/** MCP servers for the session of an external program, by name. */
export type SessionMcpServers = McpServersConfig['mcpServers'];

/** A session of an external program that knows the first messages of a conversation. */
export interface Session {
  readonly id: string;
  /** The number of messages it knows. */
  readonly known: number;
  /** How many parts of the last of them it knows, when that is a person's: later ones may be joined with it. Default: all. */
  readonly knownParts?: number;
  /** Whether the session belongs to another thread: the run continues in a copy of it, or in a new one. */
  readonly fork?: boolean;
  /** The tokens that earlier runs of the session used according to the log, without those of subagents. */
  readonly used?: UsedTokens;
}

/** Counts of tokens, as in a `usage` event. */
export type UsedTokens = Pick<
  EventOf<'usage'>,
  'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'reasoningTokens'
>;

/** Messages that wait until the run adds them. */
export interface Steering {
  /**
   * Returns the messages since the last call, oldest first. The run adds each with a `user` event that has its id; one
   * that it does not add is delivered after the run.
   */
  take(): readonly UserMessage[];
  /** Calls back whenever a message arrives, for agents that can take one at any time. Returns an unsubscribe function. */
  onMessage?(listener: () => void): () => void;
}

/** Stops the subagents of a run one by one. */
export interface ChildStops {
  /** Returns the signal that stops the subagent with this run id. */
  signalFor(runId: string): AbortSignal;
}

/** What a caller of an agent of this package passes: an id and a signal are made when they are absent. */
export type InvokeRequest = Omit<InvokeParams, 'runId' | 'signal'> & Partial<Pick<InvokeParams, 'runId' | 'signal'>>;

/** What an agent sends a model: its instructions, its tools with the schemas of their input, and the messages. */
export interface ModelRequest {
  readonly instructions?: string;
  readonly tools: readonly ModelTool[];
  readonly messages: readonly Message[];
}

/**
 * Anything that can be run. `invoke` does nothing before the first event is requested, emits `harness_start` first
 * (unless it resumes) and `harness_end` last, and does not throw: a failure is an `error` event. A tool is executed
 * only after the consumer, having received its `tool_start`, requests the next event. A consumer that stops early stops
 * the run.
 */
export interface Agent<Output = unknown> {
  readonly id: string;
  /** Whether `invoke` can resume from a `RunState`. */
  readonly resumable?: boolean;
  /** Why a pending relay is closed when a run resumes in another process: the request ended with the earlier one. */
  readonly lostRequests?: string;
  /** Whether a program of its own makes its calls: one that is open when a run ends early gets a result that says so. */
  readonly isExternal?: boolean;
  /** Whether its runs take `additions`: tools that a client executes, and words that follow its instructions. */
  readonly takesAdditions?: boolean;
  /** Whether its runs take `mcpServers`. */
  readonly takesMcpServers?: boolean;
  /** Whether its model is an instance: the id of a default model does not replace it, a chosen one does. */
  readonly hasOwnModel?: boolean;
  /**
   * Rejects an id that names no model; an agent without a registry of its own uses the given one. Absent when the agent
   * does not know.
   */
  readonly checkModel?: (modelId: string, registry: ModelRegistry) => Promise<void>;
  /** Whether a run goes on to carry out its plan when that is approved; other agents end it, and are asked to. */
  readonly carriesOutPlans?: boolean;
  /** Whether nobody answers what its runs ask: what they would ask is denied. */
  readonly asksNobody?: boolean;
  /** Whether it works in the folder of its thread when that has one. */
  readonly usesFolder?: boolean;
  /** Its modes, the default first; a run is in the mode of its thread. */
  readonly modes?: readonly AgentMode[];
  /** What can be asked of it with a slash, such as its skills. */
  readonly commands?: readonly AgentCommand[];
  /** Returns an agent that writes the title of a conversation in one short model call; absent when it cannot. */
  readonly titleAgent?: (request: TitleRequest) => Agent;
  /** Returns the category that one of the agent's own tools declares. */
  readonly categoryOf?: (toolName: string) => string | undefined;
  /** Returns what the first model call of a run would send, without making it; absent when the agent does not know it. */
  readonly requestOf?: (params: InvokeRequest) => ModelRequest;
  invoke(params: InvokeParams): AsyncIterable<AgentEvent>;
  /** Only for types: the structured output of its runs. */
  readonly '~output'?: Output;
}

/** An agent that can be invoked without an id and a signal. */
export interface CallableAgent<Output = unknown> extends Agent<Output> {
  invoke(params: InvokeRequest): AsyncIterable<AgentEvent>;
  /** Runs it on a prompt; resolves with the result, also of a run that failed. */
  run(prompt: string, options?: AgentRunOptions): Promise<RunResult<Output>>;
}

/** Whether an event ends a run of an agent; its output then has the type of the agent's. */
export function isEndOf<Output>(
  event: AgentEvent,
  agent: Agent<Output>,
): event is EventOf<'harness_end'> & { output?: Output } {
  return event.type === 'harness_end' && event.agentId === agent.id;
}

/** Completes what a caller passed. */
export function invokeParams(request: InvokeRequest): InvokeParams {
  const { runId, signal } = request;
  if (runId !== undefined && signal !== undefined) return request as InvokeParams;
  return { ...request, runId: runId ?? newId(), signal: signal ?? new AbortController().signal };
}
