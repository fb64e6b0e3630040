import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { LanguageModelV3FunctionTool, LanguageModelV3ProviderTool } from '@ai-sdk/provider';
import type { InputSpan } from '../../projections/model-input/input-span.ts';
import type { RawLine } from '../../log/event-log.ts';
import type { Budget, Lineage } from './lineage.ts';
import type { BufferedSummaries, MemorySettings, SummaryEvent, ThreadObservations } from './memory.ts';
import type { DecisionSource, PathAccess, RequestPaths, ResolvedPath } from './permissions.ts';
import type { Spending } from './spending.ts';
import type { Answers, ChildStops, RelayAnswer, SessionMcpServers, Steering } from './host.ts';
import type { ConversationParams, RunOrigin, RunParams } from './run-params.ts';
import type { CallPreview, ToolEvent, ToolQuestion, ToolReturn } from './tool-values.ts';
import type { AgentMode, AgentCommand, ModelRequest, AgentAbilities } from './abilities.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import type { ModelRegistry } from './model.ts';
import type { RunResult } from './run-result.ts';

/**
 * The interface of all agents. `invoke` does nothing before the first event is requested, emits `harness_start` first
 * (unless it resumes) and `harness_end` last, and does not throw: a failure is an `error` event. A tool is executed
 * only after the consumer, having received its `tool_start`, requests the next event. A consumer that stops early stops
 * the run.
 */
export interface Agent<Output = unknown> {
  readonly id: string;
  /** Its optional capabilities; none when absent. */
  readonly abilities?: AgentAbilities;
  /**
   * Rejects when the id names no model; an agent without its own registry uses the given one. Absent when the agent
   * cannot check ids.
   */
  readonly checkModel?: (modelId: string, registry: ModelRegistry) => Promise<void>;
  /** Its modes, the default first; a run is in the mode of its thread. */
  readonly modes?: readonly AgentMode[];
  /** Its slash commands, such as its skills. */
  readonly commands?: readonly AgentCommand[];
  /** Returns an agent that writes the title of a conversation in one short model call; absent when it cannot. */
  readonly titleAgent?: (request: TitleRequest) => Agent;
  /** Returns the category that one of the agent's own tools declares. */
  readonly categoryOf?: (toolName: string) => string | undefined;
  /** Returns the request of the first model call of a run without making the call; absent when it is unknown. */
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

/** The first messages of a conversation that needs a title. */
export interface TitleRequest {
  /** The first message of the user. */
  readonly message: string;
  /** The answer to that message. */
  readonly answer: string;
  /** The model of the conversation, when one was chosen. */
  readonly model?: string | undefined;
  /** Receives the title, one short line. */
  readonly onTitle: (title: string) => void;
}

/** Runs agents on a log: a `Supervisor` is one. */
export interface RunHost {
  run(agent: Agent, prompt: string, options: Omit<AgentRunOptions, 'supervisor'>): Promise<RunResult>;
}

/** The options of `agent.run`. */
export interface AgentRunOptions {
  /** Stores the run and its relays; without it, nothing is stored and calls that need approval are denied. */
  readonly supervisor?: RunHost;
  /** The thread of the supervisor's log that the prompt continues; a new one by default. */
  readonly threadId?: string;
  /** A `provider/model` id to use instead of the agent's own. */
  readonly model?: string;
  /** The `context` that its tools and instructions receive. */
  readonly context?: unknown;
  /** Aborts the run. */
  readonly signal?: AbortSignal;
}

/** The parameters that the host of a run provides, such as a Harness or a runtime. */
export interface HostParams {
  /** The registry for model ids, for agents without their own. */
  readonly registry?: ModelRegistry;
  /** Tools in addition to the agent's own; one with the same name replaces the agent's. */
  readonly tools?: readonly Tool[];
  /**
   * Names of tools that are not offered, including the agent's own and those of its subagents: a call of one is
   * answered like a call of an unknown tool. External programs, which have their own tools, ignore it.
   */
  readonly withheldTools?: readonly string[];
  /** Rules that apply in addition to the agent's own; the stricter decision wins. */
  readonly permissions?: readonly DecisionSource[];
  /** The value for the host's own tools: the `RequestContext` of a Harness, the `RuntimeContext` of a runtime. */
  readonly request?: unknown;
  /** The source of answers to relays; without it, calls that need approval are denied. */
  readonly answers?: Answers;
  /** Messages to add at the next safe point. */
  readonly steering?: Steering;
  /** Stops single subagents of the run, at any depth. */
  readonly childStops?: ChildStops;
  /** Counts the spending and reports a reached limit; checked before each model call. */
  readonly spending?: Spending;
  /** Observes the conversation instead of the agent's own memory. */
  readonly memory?: MemorySettings;
  /** Runs the observer and the reflector; without it the agent compacts the conversation. */
  readonly memoryHost?: MemoryHost;
  /** MCP servers by name, in addition to those of the external program; only with the ability `takesMcpServers`. */
  readonly mcpServers?: SessionMcpServers;
  /** Receives each raw line of an external program before its events are made. */
  readonly raw?: (line: RawLine) => Promise<void>;
  /** The number of raw lines that a resumed run already has: its next line continues the count. Default: 0. */
  readonly rawBefore?: number;
  /** Marks the processes that the run and its subagents start, so that a takeover of the run can end them. */
  readonly runMark?: string;
}

/** The parameters of `Agent.invoke`. */
export interface InvokeParams {
  readonly run: RunParams;
  readonly conversation: ConversationParams;
  readonly host: HostParams;
}

/** The parameters of a call of `invoke` on an agent of this package; a missing id and signal are created. */
export interface InvokeRequest {
  readonly run?: Partial<RunParams>;
  readonly conversation: ConversationParams;
  readonly host?: HostParams;
}

/** A named tool, with the parsed input of its schema and the result that programs receive. */
export interface Tool<Name extends string = string, Input = unknown, Output = unknown, Context = unknown> {
  readonly name: Name;
  /** The description for the model; a function is called at the start of each run. */
  readonly description: string | (() => string);
  /** zod, a Standard Schema with a JSON Schema, or any Standard Schema together with `inputJsonSchema`. */
  readonly input: StandardSchemaV1<unknown, Input>;
  /** The JSON Schema of the input for the model, when `inputSchema` cannot be converted. */
  readonly inputJsonSchema?: Record<string, unknown>;
  /**
   * The schema of the required `context`: a run without a context fails with `context_missing` before any call, and one
   * with an invalid context fails with `invalid_argument`. The call receives the parsed value.
   */
  readonly context?: StandardSchemaV1<unknown, Context>;
  /** The category for permission rules, such as `read`, `edit` or `execute`. */
  readonly category?: string;
  /** Whether it runs a shell command, in its argument `command` or the one named here. */
  readonly shell?: boolean | string;
  /**
   * Returns the workspace paths that a call names, by argument name: permission rules on these arguments are compared
   * with the resolved paths, and a user is asked for access to those outside the workspace. The call fails when it
   * rejects.
   */
  paths?(input: Input): Promise<RequestPaths>;
  /** The time limit in milliseconds. Default: the limit of the loop; no limit when infinite. */
  readonly timeoutMs?: number;
  /**
   * Whether a started call is executed again after its process ended: its questions and subagents are resumed.
   * `suspended`: only a call whose last question, a suspension, has no answer.
   */
  readonly repeatable?: boolean | 'suspended';
  /** Whether a user is asked even when the rules allow the call; an earlier grant still applies. */
  readonly needsApproval?: boolean | NeedsApproval<Input>['decide'];
  /**
   * Returns the change that a call would make, shown to the user who is asked about it. When it rejects, the call fails
   * without a question.
   */
  preview?(input: Input, call: Pick<ToolCall, 'runId'>): Promise<CallPreview>;
  /** The provider's own definition, for a tool that the provider defines. */
  readonly provided?: Pick<LanguageModelV3ProviderTool, 'id' | 'args'>;
  /** Further options of the description for the model. */
  readonly modelOptions?: Pick<LanguageModelV3FunctionTool, 'strict' | 'inputExamples' | 'providerOptions'>;
  execute(input: Input, call: ToolCall<Context>): Promise<ToolReturn> | ToolReturn;
  /** Only for types: the result that programs receive. */
  readonly '~output'?: Output;
}

/** A method, so that a tool of any input is a `Tool`. */
interface NeedsApproval<Input> {
  decide(input: Input): boolean | Promise<boolean>;
}

/** The second argument of `execute`: the context and the functions of a tool call. */
export interface ToolCall<Context = unknown> extends RunOrigin<Context> {
  readonly toolCallId: string;
  /** Aborts when the run is stopped or the tool reaches its time limit. */
  readonly signal: AbortSignal;
  /**
   * Reports progress. A report that was not read yet is replaced by the next one, unless it is a milestone: an object
   * with a `label`, a `phaseIndex` or a `milestone`.
   */
  readonly progress: (content: unknown) => void;
  /** Adds an event to the run; resolves when it is stored. */
  readonly emit: (event: ToolEvent) => Promise<void>;
  /** Asks a user and waits for the answer; returns undefined when no user can be asked. */
  readonly ask: (question: ToolQuestion) => Promise<RelayAnswer | undefined>;
  /** The number of questions that the call asked before its process ended: repeating them returns their answers. */
  readonly asked: number;
  /** Runs an agent as a subagent of this call and waits for its result; its events are part of the stream. */
  readonly run: (agent: Agent, request: SubagentRequest) => Promise<RunResult>;
  /**
   * Starts a background subagent, which may outlive the call, and returns its run id. The model receives its result
   * when it ends; the run does not end before it.
   */
  readonly runLater: (agent: Agent, request: SubagentRequest) => string;
  /** Extends the call until the work has settled, also when the call is aborted. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Marks the processes that the call starts, so that a takeover of the run can end them. */
  readonly runMark?: string | undefined;
  /** The value that the host passes: the `RequestContext` of a Harness, the `RuntimeContext` of a runtime. */
  readonly request: unknown;
  /** The position of the run among its ancestors, and the usage of its subagents. */
  readonly lineage: Lineage;
  /**
   * The workspace paths of the call as resolved when it was permitted; absent when the permission was decided earlier.
   */
  readonly paths?: RequestPaths;
  /** The paths outside the workspace that a user granted to the call. */
  readonly access?: readonly PathAccess[];
  /**
   * Whether a path rule would keep this call from another path than the one in its argument, for tools that discover
   * paths themselves. Absent without rules.
   */
  readonly isGuarded?: (argument: string, path: ResolvedPath) => boolean;
}

/** A request to a subagent. */
export interface SubagentRequest {
  /** The task; the subagent receives no other part of the conversation. */
  readonly task: string;
  readonly model?: string;
  readonly tools?: readonly Tool[];
  /** The shared budget of all subagents of this run; the subagent stops when it is used up. */
  readonly budget?: Budget;
}

/** The work of an observer or a reflector. */
export interface MemoryJob {
  /** The agent that creates one buffered summary. */
  readonly agent: Agent;
  /** The span that the summary covers; prevents duplicate jobs. */
  readonly covers: SummaryEvent['covers'];
  readonly kind: 'observation' | 'reflection';
  /** The limits of the run that it serves apply to it, too. */
  readonly spending?: Spending | undefined;
}

/** The access of the memory of a run to its thread; implemented by the supervisor, which invokes agents. */
export interface MemoryHost {
  /** Returns the spans of the conversation that the messages of the run consist of. */
  spans(): readonly InputSpan[];
  /** Returns the current buffered summaries of the thread, from all processes. */
  buffered(): Promise<BufferedSummaries>;
  /**
   * Returns the observations of other threads of the same resource, as of the message that the run answers. Limited to
   * the most recently changed threads, newest first.
   */
  others(): Promise<readonly ThreadObservations[]>;
  /**
   * Runs a job separately from the run that it serves. Only one job of a thread runs at a time in all processes: while
   * another one runs, waits for its end and does not run this one.
   */
  run(job: MemoryJob): MemoryRun;
}

/** A job that was handed to the host. Its promises never reject. */
export interface MemoryRun {
  /** Resolves when the first event of its run is in the log, or when it does not run. */
  readonly started: Promise<void>;
  /** Resolves at its end with whether it ran. */
  readonly ended: Promise<boolean>;
}
