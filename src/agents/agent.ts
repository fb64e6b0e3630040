import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import type { ContentPart } from '../events/content.ts';
import type { Message } from '../projections/message.ts';
import type { InvokeParams, InvokeRequest } from './invoke-params.ts';
import type { ModelTool } from './loop/tool.ts';
import type { McpServersConfig } from './mcp/mcp-server.ts';
import type { ModelRegistry } from './model/registry/registry.ts';
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

/** What an agent sends a model: its instructions, its tools with the schemas of their input, and the messages. */
export interface ModelRequest {
  readonly instructions?: string;
  readonly tools: readonly ModelTool[];
  readonly messages: readonly Message[];
}

/** What an agent can do beyond running, and what its callers have to know about it. */
export interface AgentAbilities {
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
  /** Whether a run goes on to carry out its plan when that is approved; other agents end it, and are asked to. */
  readonly carriesOutPlans?: boolean;
  /** Whether nobody answers what its runs ask: what they would ask is denied. */
  readonly asksNobody?: boolean;
  /** Whether it works in the folder of its thread when that has one. */
  readonly usesFolder?: boolean;
}

/**
 * Anything that can be run. `invoke` does nothing before the first event is requested, emits `harness_start` first
 * (unless it resumes) and `harness_end` last, and does not throw: a failure is an `error` event. A tool is executed
 * only after the consumer, having received its `tool_start`, requests the next event. A consumer that stops early stops
 * the run.
 */
export interface Agent<Output = unknown> {
  readonly id: string;
  /** What it can do beyond running; absent: nothing of it. */
  readonly abilities?: AgentAbilities;
  /**
   * Rejects an id that names no model; an agent without a registry of its own uses the given one. Absent when the agent
   * does not know.
   */
  readonly checkModel?: (modelId: string, registry: ModelRegistry) => Promise<void>;
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
