import * as z from 'zod';
import type { Agent } from '../../agents/contract/agent.ts';
import type { RunParams } from '../../agents/contract/run-params.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import {
  agent,
  callback,
  clock,
  eventLog,
  field,
  flag,
  having,
  milliseconds,
  name,
} from '../../base/options/option-fields.ts';
import { type Limits, limitsField } from '../../agents/limits/limits.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { ThreadMemory } from '../threads/thread-memory.ts';
import { backgroundClock, type Clock } from '../../agents/clock.ts';
import { newId } from '../../events/ids.ts';
import { printNotice } from '../standard-output.ts';
import { localLeaseMs, remoteLeaseMs, processOwner } from './leases.ts';
import type { OnDiagnostic } from '../../base/diagnostics.ts';
import type { OpenRun } from './open-runs.ts';
import type { ContextOf } from './run-input.ts';
import type { RunFollower } from './run-control.ts';
import type { OnFinish } from './run-observer.ts';

export interface SupervisorOptions {
  readonly log: EventLog;
  /** The agents that can resume open runs, or a function that finds the agent of a run. */
  readonly agents?: readonly Agent[] | AgentFinder;
  /** Takes over only runs of this resource; all runs by default. */
  readonly resourceId?: string;
  /** The unique owner name in leases; derived from the process by default. */
  readonly owner?: string;
  /**
   * How long a lease lasts without renewal, in milliseconds; by default 60,000 for a store on one machine, where an owner
   * that has ended is noticed at once, and 15,000 for others.
   */
  readonly leaseMs?: number;
  /** How long an aborted agent may take to stop, in milliseconds; 2,000 by default. */
  readonly graceMs?: number;
  /** Generates unique run ids: a duplicate within a thread is rejected. UUIDs by default. */
  readonly newRunId?: () => string;
  /** Whether this process has the request context of a waiting message; it has none by default. */
  readonly hasContext?: (messageId: string) => boolean;
  /** Makes the context of runs for which no caller passed one: resumed runs and runs that waiting messages start. */
  readonly contextOf?: ContextOf;
  /** The cache of thread states; by default the one that everything on this log shares. */
  readonly memory?: ThreadMemory;
  /** Logs a warning for events in an illegal order; by default in development mode (`NODE_ENV`). */
  readonly checkOrder?: boolean;
  /** Times the check for runs without an owner, and the expiry of relays; by default a system clock that does not keep the process alive. */
  readonly clock?: Clock;
  /** Limits of spending for all runs: reaching one ends a run with `limit_reached`. */
  readonly limits?: Limits;
  /** Reports in one line that the log cannot be written, or can again; to stderr by default. */
  readonly report?: (line: string) => void;
  /** Follows the runs of this process, such as a `new Telemetry({ log, url })`; their programs and models get the trace. */
  readonly telemetry?: RunFollower;
  /**
   * Receives each run that ends in this process, with its result, once its last event is in the log; not its subagents. No run
   * waits for it, `close` does. What it throws is a diagnostic with the code `on_finish_failed`.
   */
  readonly onFinish?: OnFinish;
  /** Receives failures that no caller awaits; ignored by default. */
  readonly onDiagnostic?: OnDiagnostic;
}

/** The options that have defaults, with them. */
export type ResolvedOptions = Required<
  Omit<
    SupervisorOptions,
    'memory' | 'resourceId' | 'agents' | 'limits' | 'contextOf' | 'telemetry' | 'onDiagnostic' | 'onFinish'
  >
>;

/** Returns options with their defaults. */
export function resolveOptions(options: SupervisorOptions): ResolvedOptions {
  return {
    owner: processOwner(),
    leaseMs: options.log.isLocal === true ? localLeaseMs : remoteLeaseMs,
    graceMs: 2_000,
    newRunId: newId,
    hasContext: () => false,
    checkOrder: process.env['NODE_ENV'] === 'development',
    clock: backgroundClock,
    report: printNotice,
    ...options,
  };
}

/** Finds the agent that resumes an open run of a resource and an author; undefined when the run cannot be resumed. */
export type AgentFinder = (
  run: OpenRun,
  threadId: string,
  origin: Pick<RunParams, 'resourceId' | 'by'>,
) => Agent | undefined;

/** Throws `invalid_argument` for options that are unknown, missing or invalid. */
export const checkSupervisorOptions: (options: unknown) => void = optionsCheck<SupervisorOptions>('new Supervisor')(
  () => ({
    log: eventLog(),
    agents: z
      .union([z.array(agent()), callback()], { error: 'expected an array of agents, or a function that finds one' })
      .optional(),
    resourceId: name().optional(),
    owner: name().optional(),
    leaseMs: field(value => typeof value === 'number' && value > 0, 'milliseconds, more than 0').optional(),
    graceMs: milliseconds().optional(),
    newRunId: callback().optional(),
    hasContext: callback().optional(),
    contextOf: callback().optional(),
    memory: having(['of', 'hold'], 'a `new ThreadMemory(log)`').optional(),
    checkOrder: flag().optional(),
    clock: clock().optional(),
    limits: limitsField().optional(),
    report: callback().optional(),
    telemetry: having(['follow'], 'a `new Telemetry({ log, url })`').optional(),
    onFinish: callback().optional(),
    onDiagnostic: callback().optional(),
  }),
);
