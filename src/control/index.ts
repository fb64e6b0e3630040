/**
 * The control layer: what people do with runs.
 * @module
 */
export { backgroundClock, type Clock, systemClock } from './supervision/clock.ts';
export type { RetryOptions, RunControl, RunHandle, RunOutcome, StartOptions } from './supervision/run-control.ts';
export { continueRun, Supervisor, type SupervisorOptions } from './supervision/supervisor.ts';
export * from './harness/index.ts';
