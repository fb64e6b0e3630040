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
import { type EnvironmentPolicy, environmentField } from '../../process/environment.ts';
import type { RawLine } from '../../../log/event-log.ts';
import type { Clock } from '../../clock.ts';
import type { PermissionRuleSet, Policy } from '../../contract/permissions.ts';
import type { Semaphore } from '../../semaphore.ts';
import type { SessionPool } from '../live/session-pool.ts';

export interface CliAgentOptions {
  /** The working directory. Default: the current one. */
  readonly cwd?: string;
  readonly model?: string;
  /** Lets it do everything without asking. */
  readonly yolo?: boolean;
  /** Further flags, passed unchanged. */
  readonly extraArgs?: readonly string[];
  /** Variables to add to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The variables of this process that the program gets. Default: the few that any program needs, and its own. */
  readonly environment?: EnvironmentPolicy;
  /** The program to run instead of the one in the PATH. */
  readonly executable?: string;
  /** The time limit of a run, in milliseconds. Default: none. */
  readonly timeoutMs?: number;
  /** The time limit without output, in milliseconds. Default: none. */
  readonly idleTimeoutMs?: number;
  /**
   * The time limit until its session is open over the live channel, in milliseconds. Default: 60,000; 180,000 for a
   * program that is used as a local server.
   */
  readonly openTimeoutMs?: number;
  /** The time until it is stopped after it reported its end. Default: 10,000. */
  readonly settleMs?: number;
  /** The time after each of SIGINT and SIGTERM before the next signal. Default: 600. */
  readonly stopStepMs?: number;
  /** Receives every raw line, in addition to the caller of the run; the run waits for it. */
  readonly onRaw?: (runId: string, line: RawLine) => Promise<void> | void;
  /** Limits concurrent runs. Default: at most four external agents of a process at the same time. */
  readonly semaphore?: Semaphore;
  /**
   * How to use the program: `print` runs it once per request and cannot ask a user; `live` keeps it running and can.
   * Default: `live` when the program supports it and a user can answer.
   */
  readonly channel?: 'print' | 'live';
  /** The program's own mode over its live channel, such as `plan`. */
  readonly mode?: string;
  /**
   * The calls that run without asking over the live channel: rules, or one policy for every call. Default: the rules of
   * the caller, if any.
   */
  readonly permissions?: PermissionRuleSet | Policy;
  /** Keeps programs running for the next turn of their session. Default: one pool of four for this process. */
  readonly sessions?: SessionPool;
  /**
   * The folder of sessions that are written for the program, so that it continues a conversation with other agents with
   * every call and result. Default: none, the conversation is written into the prompt.
   */
  readonly sessionFolder?: string;
  /** How a conversation that is too long for the program's model is shortened before it is handed over. */
  readonly compaction?: HandOverCompaction;
  /** Measures the limits of a run over the live channel. Default: the system clock. */
  readonly clock?: Clock;
}

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
export const checkCliAgentOptions: (options: unknown) => void = optionsCheck('cliAgent')(
  () =>
    ({
      ...commonCliFields(),
      extraArgs: textsField().optional(),
      executable: name().optional(),
      channel: field(value => value === 'print' || value === 'live', '"print" or "live"').optional(),
    }) satisfies Record<keyof CliAgentOptions, unknown>,
);
