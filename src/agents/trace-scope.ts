import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<string>();

/** Runs code, and everything that it starts, in a trace: the models and programs that it calls get this `traceparent`. */
export function runInTrace<Result>(traceparent: string | undefined, run: () => Result): Result {
  return traceparent === undefined ? run() : scope.run(traceparent, run);
}

/** Returns the `traceparent` of the run that calls; undefined outside of a trace. */
export function currentTraceparent(): string | undefined {
  return scope.getStore();
}
