/**
 * The control layer: what people do with runs.
 * @module
 */
export { backgroundClock, type Clock, systemClock } from './clock.ts';
export type { RetryOptions, RunControl, RunHandle, RunOutcome, StartOptions } from './run-control.ts';
export { continueRun, Supervisor, type SupervisorOptions } from './supervisor.ts';
export * from './harness/index.ts';
