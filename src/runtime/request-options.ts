import * as z from 'zod';
import { optionsCheck, type OptionFields } from '../base/options/check-options.ts';
import { name, signal, text } from '../base/options/option-fields.ts';
import type { ApprovalAnswer } from './relay-answer.ts';

export interface SpecialistOptions {
  /** It is created when it does not exist. Default: a new thread. */
  readonly threadId?: string;
  /** A `provider/model` id to use instead of the agent's own. */
  readonly model?: string;
  /** What the tools and the instructions get as their `context`; it stays in this process. */
  readonly context?: unknown;
  /** Ends the stream; the run goes on. */
  readonly signal?: AbortSignal;
}

export interface QueryOptions extends SpecialistOptions {
  /** The id of the agent to ask. */
  readonly agent?: string;
}

export interface FlowWatchOptions {
  /** How many wire events of the request the reader has already. */
  readonly after?: number;
  /** The run to watch; the newest that a person asked for when absent. */
  readonly runId?: string;
  readonly signal?: AbortSignal;
}

const specialistFields = () =>
  ({
    threadId: name().optional(),
    model: name().optional(),
    context: z.unknown().optional(),
    signal: signal().optional(),
  }) satisfies OptionFields<SpecialistOptions>;

/** Throw `invalid_argument` for options of a method that are unknown, missing or invalid. */
export const checkSpecialist = optionsCheck('runtime.runSpecialist')(specialistFields);

export const checkQuery = optionsCheck<QueryOptions>('runtime.query')(() => ({
  ...specialistFields(),
  agent: name().optional(),
}));

export const checkWatch = optionsCheck<FlowWatchOptions>('runtime.watch')(() => ({
  after: z.number().min(0).optional(),
  runId: name().optional(),
  signal: signal().optional(),
}));

export const checkPending = optionsCheck('runtime.pendingApprovals')(() => ({ threadId: name().optional() }));

export const checkAnswer = optionsCheck<ApprovalAnswer>('runtime.respondToApproval')(() => ({
  feedback: text().optional(),
  partial: z.unknown().optional(),
  answer: z.union([z.string(), z.array(z.string())]).optional(),
}));
