import type { AgentEvent } from '../vocabulary.ts';
import type { OutlinedBlock } from './outlined-block.ts';

/** A run as far as its usage is concerned. */
export interface OutlinedRun {
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly model: string | undefined;
}

/** A run that still matters, with the events that later ones depend on. */
export interface RunRecord extends OutlinedRun {
  readonly parentId: string | undefined;
  /** Whether it has no separate message: its events belong to the message of another run. */
  readonly isVoice: boolean;
  agentId: string | undefined;
  model: string | undefined;
  first: AgentEvent;
  start?: AgentEvent;
  step?: AgentEvent;
  /** A message to the run in its newest step, and the block before it: they matter while a call in that block is open. */
  steer?: { readonly event: AgentEvent; readonly after: OutlinedBlock } | undefined;
  end?: AgentEvent;
  /** Whether the model call of its step has ended. */
  isComplete: boolean;
  isReporting: boolean;
  /** Whether it may be on another branch than the active one. */
  isUncertain: boolean;
  /** The newest block of its message. */
  block: OutlinedBlock;
}
