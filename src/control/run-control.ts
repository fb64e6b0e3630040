import type { Agent, RelayAnswer } from '../agents/agent.ts';
import type { AgentEvent, ContentPart } from '../events/index.ts';

/** A run that is under way. */
export interface RunHandle {
  readonly threadId: string;
  readonly runId: string;
  /** Resolves when the run's last event is in the log; never rejects. */
  readonly done: Promise<RunOutcome>;
  /** The newest event that is known to be in the log: when the run is done, its last one or a later one. */
  readonly seq: number;
}

export type RunOutcome = NonNullable<Extract<AgentEvent, { type: 'harness_end' }>['reason']>;

export interface StartOptions {
  readonly agent: Agent;
  readonly content: string | readonly ContentPart[];
  /** An id of the message that its sender chose. */
  readonly id?: string;
  /** A `provider/model` id to use instead of the agent's own. */
  readonly model?: string;
  /** The user message that this one takes the place of: it becomes its sibling, on a new branch. */
  readonly edits?: string;
  /** The newest event of the thread: when another one is, nothing happens but a rejection with `seq_conflict`. */
  readonly expectedSeq?: number;
  /** Asked when the run ends for what is merged into the thread's metadata in that moment. */
  readonly note?: EndNote;
}

export type EndNote = () => Readonly<Record<string, unknown>>;

export interface RetryOptions {
  readonly agent: Agent;
  /** The agent's message to ask for once more, or the user message it answers. */
  readonly messageId: string;
  readonly model?: string;
}

/** What a person does with runs; the supervisor keeps it. */
export interface RunControl {
  /** Appends the message to the thread and starts the agent on it; an edit is refused with `run_under_way` while one is. */
  start(threadId: string, options: StartOptions): Promise<RunHandle>;
  /** Starts another run for what was asked before; both answers stay, as siblings. */
  retry(threadId: string, options: RetryOptions): Promise<RunHandle>;
  /** Makes a message the active one of its siblings; `run_under_way` while a run is. */
  select(threadId: string, messageId: string): Promise<void>;
  /** Gives a running agent a message at its next safe point; `run_not_found` when it does not run here. */
  steer(runId: string, content: string | readonly ContentPart[]): void;
  /** Answers a relay: the first answer wins, a later one is refused with `relay_resolved`. */
  answer(threadId: string, relayId: string, answer: Omit<RelayAnswer, 'relayId'>): Promise<void>;
  /** Stops a run and everything it started; resolves when its last event is in the log. */
  abort(runId: string): Promise<void>;
  /** Goes on with every run that a process left open; those that cannot go on are ended as interrupted. */
  recover(): Promise<readonly RunHandle[]>;
  /** The runs that are under way in this process. */
  running(): readonly RunHandle[];
  /** Leaves all runs as they are, to be recovered later, and lets go of them. */
  close(): Promise<void>;
}
