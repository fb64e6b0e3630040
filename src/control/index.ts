/**
 * The control layer: what people do with runs.
 * @module
 */
export { backgroundClock, type Clock, systemClock } from './supervision/clock.ts';
export type { RetryRunOptions, RunControl, RunHandle, RunOutcome, StartOptions } from './supervision/run-control.ts';
export { continueRun, Supervisor } from './supervision/supervisor.ts';
export type { SupervisorOptions } from './supervision/supervisor-options.ts';
export * from './harness/index.ts';
