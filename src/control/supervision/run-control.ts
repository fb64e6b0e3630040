import * as z from 'zod';
import type { Agent } from '../../agents/contract/agent.ts';
import type { RelayAnswer } from '../../agents/contract/host.ts';
import type { RunResult } from '../../agents/contract/run-result.ts';
import type { ContentPart } from '../../events/content.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import type { RunAdditions } from '../../events/run-additions.ts';
import type { RunTrace } from '../../events/trace-context.ts';
import type { RunCounts, RunOutcome } from './run-counts.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { agent, callback, flag, name, number, object } from '../../base/options/option-fields.ts';

/** An active run. */
export interface RunHandle<Output = unknown> {
  readonly threadId: string;
  readonly runId: string;
  /** Resolves when the run's last event is in the log; never rejects. */
  readonly done: Promise<RunOutcome>;
  /** Resolves with the result when the run's last event is in the log, also of a run that failed; never rejects. */
  readonly result: Promise<RunResult<Output>>;
  /** Whether this process has detached the run without ending it: another one can resume it. */
  readonly isDetached: boolean;
  /** The newest event known to be in the log: when the run is done, its last one or a later one. */
  readonly seq: number;
}

/** Follows runs, for example to export their spans. No run waits for it, and it must not throw. */
export interface RunFollower {
  /** Is called with every run that begins or resumes in this process, and the newest event of its thread before that. */
  follow(run: RunHandle, seq: number): void;
}

/** A run that has ended, and its result. */
export interface FinishedRun extends RunResult {
  readonly threadId: string;
  /** The resource of the thread; absent when the thread was deleted before the run ended. */
  readonly resourceId?: string;
  readonly agentId: string;
  /** Who sent the message that it answers. */
  readonly by?: string;
}

/** The folder of a thread, as its log records it. */
export type ThreadFolder = Omit<EventOf<'folder_changed'>, 'type' | 'runId'>;

export interface StartOptions<Output = unknown> {
  readonly agent: Agent<Output>;
  readonly content: string | readonly ContentPart[];
  /** The name of its author. */
  readonly by?: string;
  /** The `context` of the run's tools and instructions; it stays in this process. */
  readonly context?: unknown;
  /** The message id that its sender chose. */
  readonly id?: string;
  /** A `provider/model` id to use instead of the agent's own. */
  readonly model?: string;
  /** The mode that the thread changes to, together with the message. */
  readonly mode?: string;
  /** The folder that the thread works in from this message on. */
  readonly folder?: ThreadFolder;
  /** The user message to replace: the new one becomes its sibling on a new branch. */
  readonly edits?: string;
  /** The newest event of the thread: rejects with `seq_conflict`, without any effect, when another one is newer. */
  readonly expectedSeq?: number;
  /** Rejects with `once_conflict`, without any effect, when this key was used in the thread before. */
  readonly once?: string;
  /**
   * Whether it may run in parallel with another run of the thread in this process; otherwise it rejects with
   * `run_under_way`.
   */
  readonly parallel?: boolean;
  /** Merged into the thread's metadata together with the message. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Called at the end of the run; the result is merged into the thread's metadata together with its last event. */
  readonly note?: EndNote;
  /** The trace that the caller named, such as with a `traceparent` header; its id is derived from the run's when absent. */
  readonly trace?: Partial<RunTrace>;
  /** The client's additions to the agent, for this run; only for agents with the ability `takesAdditions`. */
  readonly additions?: RunAdditions;
}

export type EndNote = () => Readonly<Record<string, unknown>>;

export interface RetryRunOptions {
  readonly agent: Agent;
  /** The agent's message to repeat, or the user message it answers. */
  readonly messageId: string;
  readonly model?: string;
  /** The `context` of the run's tools and instructions; it stays in this process. */
  readonly context?: unknown;
  /** The trace that the caller named. */
  readonly trace?: Partial<RunTrace>;
  /** The client's additions to the agent, for this run; only for agents with the ability `takesAdditions`. */
  readonly additions?: RunAdditions;
}

/** Controls runs; implemented by the supervisor. */
export interface RunControl {
  /**
   * Appends the message to the thread and starts the agent on it; rejects with `run_under_way` during a run of this
   * process, unless it may run in parallel.
   */
  start<Output>(threadId: string, options: StartOptions<Output>): Promise<RunHandle<Output>>;
  /** Starts another run for the same user message; both answers stay, as siblings. */
  retry(threadId: string, options: RetryRunOptions): Promise<RunHandle>;
  /** Makes a message the active one of its siblings; throws `run_under_way` during a run. */
  select(threadId: string, messageId: string): Promise<void>;
  /**
   * Runs an agent in parallel with a run of a thread, even if that run has ended; resolves when the agent has ended.
   * Never rejects.
   */
  runBeside(threadId: string, runId: string, agent: Agent): Promise<void>;
  /** Hands the waiting messages of a thread that go into its run to the agent, if it runs in this process. */
  steer(threadId: string): Promise<void>;
  /** Calls back with the thread of every run that ended in this process. Returns an unsubscribe function. */
  onRunEnd(listener: (threadId: string) => void): () => void;
  /**
   * Answers a relay: the first answer wins, a later one is rejected with `relay_resolved`, one after its time with
   * `relay_expired`.
   */
  answer(threadId: string, relayId: string, answer: Omit<RelayAnswer, 'relayId'>): Promise<void>;
  /**
   * Aborts a run of any process and everything it started; resolves when its last event is in the log. Throws
   * `run_not_found` when the run is not open.
   */
  abort(runId: string, options?: AbortOptions): Promise<void>;
  /** Aborts all active runs of a thread, in any process, and returns their ids. */
  abortAll(threadId: string, options?: Omit<AbortOptions, 'threadId'>): Promise<readonly string[]>;
  /**
   * Takes over the open runs of a thread that no live process owns: resumes those that can be resumed, ends the others
   * as interrupted. Returns the active runs of the thread.
   */
  takeOver(threadId: string): Promise<RunsInThread>;
  /** Resolves when no run of a thread is active, in any process. */
  idle(threadId: string, signal?: AbortSignal): Promise<void>;
  /** Takes over every open run that no live process owns, now and whenever an owner ends, until `close`. */
  recover(): Promise<readonly RunHandle[]>;
  /** The active runs of this process. */
  running(): readonly RunHandle[];
  /** The totals of this process's runs so far. */
  readonly counts: RunCounts;
  /** Detaches all runs without ending them, so that they can be recovered. */
  close(): Promise<void>;
}

export interface AbortOptions {
  /** The thread of the run; looked up by default. */
  readonly threadId?: string;
  /** Who requests it. */
  readonly by?: string;
  /** Called when this process ends the run of a dead owner; the result is merged into the thread's metadata. */
  readonly note?: EndNote;
}

/** The active runs of a thread. */
export interface RunsInThread {
  /** The runs of this process. */
  readonly here: readonly RunHandle[];
  /** The ids of runs that another live process owns. */
  readonly elsewhere: readonly string[];
}

const content = () =>
  z.union([z.string(), z.array(z.unknown())], { error: 'expected a text, or an array of content parts' });

/** Throws `invalid_argument` for options of `start` that are unknown, missing or invalid. */
export const checkStart = optionsCheck<StartOptions>('start')(() => ({
  agent: agent(),
  content: content(),
  by: name().optional(),
  context: z.unknown().optional(),
  id: name().optional(),
  model: name().optional(),
  mode: name().optional(),
  // The log checks it with the event that carries it.
  folder: object().optional(),
  edits: name().optional(),
  expectedSeq: number().optional(),
  once: name().optional(),
  parallel: flag().optional(),
  metadata: object().optional(),
  note: callback().optional(),
  trace: object().optional(),
  additions: object().optional(),
}));

/** Throws `invalid_argument` for options of `retry` that are unknown, missing or invalid. */
export const checkRetry = optionsCheck<RetryRunOptions>('retry')(() => ({
  agent: agent(),
  messageId: name(),
  model: name().optional(),
  context: z.unknown().optional(),
  trace: object().optional(),
  additions: object().optional(),
}));

const abortFields = () => ({ by: name().optional(), note: callback().optional() });

/** Throws `invalid_argument` for options of `abort` that are unknown or invalid. */
export const checkAbort = optionsCheck<AbortOptions>('abort')(() => ({
  ...abortFields(),
  threadId: name().optional(),
}));

/** Throws `invalid_argument` for options of `abortAll` that are unknown or invalid. */
export const checkAbortAll = optionsCheck('abortAll')(abortFields);
