/**
 * The control layer: the supervisor that invokes agents, and the Harness on top of it.
 * @module
 */
export { backgroundClock, type Clock, systemClock } from './supervision/clock.ts';
export type {
  AbortOptions,
  RetryRunOptions,
  RunControl,
  RunHandle,
  RunOutcome,
  RunsInThread,
  StartOptions,
} from './supervision/run-control.ts';
export { continueRun, Supervisor } from './supervision/supervisor.ts';
export type { AgentFinder, SupervisorOptions } from './supervision/supervisor-options.ts';
export * from './harness/index.ts';
