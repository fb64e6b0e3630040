import * as z from 'zod';
import { SingletreeError } from '../../base/singletree-error.ts';

/** The limits of a run of a recursive language model. */
export interface RlmLimits {
  /** The memory of the sandbox, including `context`. Default: 256 MiB. */
  readonly memoryBytes: number;
  /** The stack of the sandbox. Default: 256 KiB. */
  readonly stackBytes: number;
  /** The execution time of one cell, without the time it waits for answers. Default: 30,000 ms. */
  readonly cellTimeoutMs: number;
  /** The number of printed characters kept per cell. Default: 100,000. */
  readonly maxOutputLength: number;
  /** The number of characters of a cell's output that the model receives. Default: 10,000. */
  readonly maxShownLength: number;
  /** The length of the answer passed to `FINAL`, in characters. Default: 1,000,000. */
  readonly maxFinalLength: number;
  /**
   * The number of levels below this run. With 1, the default, `llm_query` calls a model. With more, a run with its own
   * REPL answers a query that has a context. With 0 there are no queries.
   */
  readonly maxDepth: number;
  /** The number of queries of the run and the runs below it. Default: 1,000. */
  readonly maxQueries: number;
  /** The number of concurrent queries of one run. Default: 8. */
  readonly parallelQueries: number;
  /** The length of a query's prompt, in characters. Default: 500,000. */
  readonly maxQueryLength: number;
}

const defaults: RlmLimits = {
  memoryBytes: 256 * 2 ** 20,
  stackBytes: 256 * 2 ** 10,
  cellTimeoutMs: 30_000,
  maxOutputLength: 100_000,
  maxShownLength: 10_000,
  maxFinalLength: 1_000_000,
  maxDepth: 1,
  maxQueries: 1_000,
  parallelQueries: 8,
  maxQueryLength: 500_000,
};

const least: Partial<RlmLimits> = { memoryBytes: 2 ** 21, stackBytes: 2 ** 14, parallelQueries: 1, cellTimeoutMs: 1 };
/** The WebAssembly stack has room for no more. */
const most: Partial<RlmLimits> = { stackBytes: 2 ** 20, memoryBytes: 2 ** 31 };

/** The schema of an option for limits; their numbers are checked with a separate error. */
export const rlmLimitsField = () =>
  z.strictObject(Object.fromEntries(Object.keys(defaults).map(name => [name, z.unknown().optional()])));

/** Returns the limits with defaults; throws `invalid_argument` for an unusable number. */
export function rlmLimits(given: Partial<RlmLimits> = {}): RlmLimits {
  const limits = { ...defaults, ...given };
  for (const name of Object.keys(defaults) as (keyof RlmLimits)[]) {
    const [value, min, max] = [limits[name], least[name] ?? 0, most[name] ?? Number.MAX_SAFE_INTEGER];
    if (Number.isInteger(value) && value >= min && value <= max) continue;
    throw new SingletreeError(
      'invalid_argument',
      `The limit ${name} is ${value}: expected a whole number from ${min} to ${max}.`,
    );
  }
  return limits;
}
