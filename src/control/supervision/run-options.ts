import * as z from 'zod';
import { optionsCheck } from '../../base/options/check-options.ts';
import { agent, callback, flag, name, number, object } from '../../base/options/option-fields.ts';
import type { AbortOptions, RetryRunOptions, StartOptions } from './run-control.ts';

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
