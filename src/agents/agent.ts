import type { AgentEvent, ContentPart, EventOf } from '../events/index.ts';
import type { Message } from '../projections/message.ts';
import type { RelayState, RunState } from '../projections/run-state.ts';

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
