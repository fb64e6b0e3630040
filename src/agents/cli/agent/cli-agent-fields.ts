import * as z from 'zod';
import { optionsCheck, type OptionFields } from '../../../base/options/check-options.ts';
import {
  callback,
  clock,
  field,
  flag,
  milliseconds,
  name,
  number,
  object,
} from '../../../base/options/option-fields.ts';
import { modelSource } from '../../model/call/model-options.ts';
import type { HandOverCompaction } from '../sessions/fit-history.ts';
import { environmentField } from '../../process/environment.ts';
import type { CliAgentOptions } from './cli-agent.ts';

export const textsField = () =>
  field(value => Array.isArray(value) && value.every(item => typeof item === 'string'), 'an array of strings');

/** The options that every agent of an external program has. */
export const commonCliFields = () => ({
  cwd: name().optional(),
  model: name().optional(),
  mode: name().optional(),
  yolo: flag().optional(),
  env: object().optional(),
  environment: environmentField().optional(),
  timeoutMs: milliseconds().optional(),
  idleTimeoutMs: milliseconds().optional(),
  openTimeoutMs: milliseconds().optional(),
  settleMs: milliseconds().optional(),
  stopStepMs: milliseconds().optional(),
  onRaw: callback().optional(),
  semaphore: object().optional(),
  sessionFolder: name().optional(),
  compaction: z
    .strictObject({
      threshold: number().optional(),
      model: z.union([modelSource(), callback()]).optional(),
    } satisfies OptionFields<HandOverCompaction>)
    .optional(),
  // The rules are checked with their own error.
  permissions: z.unknown().optional(),
  sessions: object().optional(),
  clock: clock().optional(),
});

/** Throws `invalid_argument` for options of `cliAgent` that are unknown or invalid. */
export const checkCliAgentOptions: (options: unknown) => void = optionsCheck<CliAgentOptions>('cliAgent')(() => ({
  ...commonCliFields(),
  extraArgs: textsField().optional(),
  executable: name().optional(),
  channel: field(value => value === 'print' || value === 'live', '"print" or "live"').optional(),
}));
