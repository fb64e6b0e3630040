import type { Agent, RelayAnswer } from '../../agents/agent.ts';
import type { AgentEvent, ContentPart } from '../../events/index.ts';

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
  /** Merged into the thread's metadata in the moment in which the message is appended. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Asked when the run ends for what is merged into the thread's metadata in that moment. */
  readonly note?: EndNote;
}

export type EndNote = () => Readonly<Record<string, unknown>>;

export interface RetryRunOptions {
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
  retry(threadId: string, options: RetryRunOptions): Promise<RunHandle>;
  /** Makes a message the active one of its siblings; `run_under_way` while a run is. */
  select(threadId: string, messageId: string): Promise<void>;
  /** Gives a running agent a message at its next safe point; `run_not_found` when it does not run here. */
  steer(runId: string, content: string | readonly ContentPart[]): void;
  /** Answers a relay: the first answer wins, a later one is refused with `relay_resolved`. */
  answer(threadId: string, relayId: string, answer: Omit<RelayAnswer, 'relayId'>): Promise<void>;
  /**
   * Stops a run and everything it started, whichever process owns it; resolves when its last event is in the log.
   * `run_not_found` when no such run is open.
   */
  abort(runId: string, options?: AbortOptions): Promise<void>;
  /** Stops every run that is under way in a thread, whichever process owns it; returns their ids. */
  abortAll(threadId: string, options?: Omit<AbortOptions, 'threadId'>): Promise<readonly string[]>;
  /**
   * Takes over the open runs of a thread that no live process owns: resumes those that can be resumed, ends the others
   * as interrupted. Returns what is under way in the thread then.
   */
  takeOver(threadId: string): Promise<RunsInThread>;
  /** Resolves when no run is under way in a thread, in whatever process. */
  idle(threadId: string, signal?: AbortSignal): Promise<void>;
  /** Takes over every open run that no live process owns, now and whenever an owner ends, until `close`. */
  recover(): Promise<readonly RunHandle[]>;
  /** The runs that are under way in this process. */
  running(): readonly RunHandle[];
  /** Detaches from all runs without ending them, so that they can be recovered. */
  close(): Promise<void>;
}

export interface AbortOptions {
  /** The thread of the run; found by the run when absent. */
  readonly threadId?: string;
  /** Who asks for it. */
  readonly by?: string;
  /** Asked for what is merged into the thread's metadata when this process ends the run of an owner that died. */
  readonly note?: EndNote;
}

/** The runs that are under way in a thread. */
export interface RunsInThread {
  /** Those of this process. */
  readonly here: readonly RunHandle[];
  /** The ids of those that another live process owns. */
  readonly elsewhere: readonly string[];
}
