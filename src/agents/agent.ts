import type { AgentEvent, ContentPart, EventOf } from '../events/index.ts';
import type { RawLine } from '../log/index.ts';
import type { Message } from '../projections/message.ts';
import type { RelayState, RunState } from '../projections/run-state.ts';
import type { Tool } from './loop/tool.ts';
import type { ModelRegistry } from './model/registry/registry.ts';
import type { DecisionSource } from './permissions/decide.ts';

/** Something a person says while a run is under way. */
export interface UserMessage {
  readonly id: string;
  readonly content: string | readonly ContentPart[];
}

/** The answer to a relay, as the log holds it. */
export type RelayAnswer = Omit<EventOf<'relay_resolved'>, 'type' | 'runId'>;

/** Where answers to relays come from. */
export interface Answers {
  /** Resolves with the answer, also one that was given before; rejects when the signal aborts. */
  wait(relayId: string, signal: AbortSignal): Promise<RelayAnswer>;
}

export interface InvokeParams {
  /** The id of the run; every event the agent makes carries it. */
  readonly runId: string;
  /** The conversation so far, the request last. */
  readonly messages: readonly Message[];
  /** A `provider/model` id to use instead of the agent's own. */
  readonly model?: string;
  /** Where ids of models are looked up by an agent that has no registry of its own. */
  readonly registry?: ModelRegistry;
  /** Tools to offer beside the agent's own; one of the same name takes the place of the agent's. */
  readonly tools?: readonly Tool[];
  /**
   * Names of tools that are not offered, the agent's own and those of its subagents among them: a call of one is
   * answered like that of a tool that there is not. External programs, which have tools of their own, pass it over.
   */
  readonly withheldTools?: readonly string[];
  /** Rules that hold beside the agent's own: the stricter decides. */
  readonly permissions?: readonly DecisionSource[];
  /** What the tools of the run are given as it is. */
  readonly context?: unknown;
  /** The message the conversation begins with, so that a summary of its beginning can name it. */
  readonly firstMessageId?: string;
  /** The last message before the request, when what comes before the request can be summarised on its own. */
  readonly previousMessageId?: string;
  /** The program's own session that this conversation can go on in. */
  readonly session?: Session;
  /** Takes each raw line of an external program before its events are made. */
  readonly raw?: (line: RawLine) => Promise<void>;
  /** How many runs stand above this one; 0 when absent: a person started it. */
  readonly depth?: number;
  /** Marks the processes that the run and its subagents start, so that whoever takes the run over can end them. */
  readonly runMark?: string;
  /** What caused the run; the run's first event carries it. */
  readonly parentId?: string;
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** What the run had done before the process that ran it ended: the agent goes on from there. */
  readonly resume?: RunState;
  /** What people decided earlier in the thread: what they allowed for longer than once still holds. */
  readonly decided?: readonly RelayState[];
  /** Without it nobody can be asked, and what would be asked is denied. */
  readonly answers?: Answers;
  /** Messages to take in at the next safe point. */
  readonly steering?: Steering;
}

/** A session of an external program that knows the beginning of a conversation, and nothing else. */
export interface Session {
  readonly id: string;
  /** How many of the messages it knows. */
  readonly known: number;
  /** The tokens that the log has for the earlier runs of the session, without those of subagents. */
  readonly used?: UsedTokens;
}

/** Counts of tokens, as a `usage` event has them. */
export type UsedTokens = Pick<
  EventOf<'usage'>,
  'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'reasoningTokens'
>;

/** Messages that wait for a run to take them in. */
export interface Steering {
  /** The messages that came since the last call, oldest first. */
  take(): readonly UserMessage[];
}

/**
 * Anything that can be run. `invoke` does nothing before the first event is asked for, emits `harness_start` first
 * (not when it resumes) and `harness_end` last, and does not throw: a failure is an `error` event. A tool is executed
 * only after the consumer, having taken its `tool_start`, asked for the next event. A consumer that stops early stops
 * the run.
 */
export interface Agent {
  readonly id: string;
  /** Whether `invoke` can go on from a `RunState`. */
  readonly resumable?: boolean;
  invoke(params: InvokeParams): AsyncIterable<AgentEvent>;
}
