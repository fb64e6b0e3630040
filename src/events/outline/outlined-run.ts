import type { AgentEvent } from '../vocabulary.ts';

/** A run as far as its usage is concerned. */
export interface OutlinedRun {
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly model: string | undefined;
}

/** A run that still matters, with the events that later ones depend on. */
export interface RunRecord extends OutlinedRun {
  readonly parentId: string | undefined;
  /** Whether it has no message of its own: what it emits belongs to another run. */
  readonly isVoice: boolean;
  agentId: string | undefined;
  model: string | undefined;
  first: AgentEvent;
  start?: AgentEvent;
  step?: AgentEvent;
  end?: AgentEvent;
  /** Whether the model call of its step has ended. */
  isComplete: boolean;
  isReporting: boolean;
  /** Whether it may be on another branch than the active one. */
  isUncertain: boolean;
  /** The streams of its newest block, by kind and id. */
  readonly streams: Map<string, AgentEvent>;
}
