import { SingletreeError } from '../../events/index.ts';

/** What a run of a recursive language model may use. */
export interface RlmLimits {
  /** The memory of the sandbox, `context` included; 256 MiB when absent. */
  readonly memoryBytes: number;
  /** The stack of the sandbox; 256 KiB when absent. */
  readonly stackBytes: number;
  /** How long the code of one cell may execute; waiting for answers does not count; 30,000 ms when absent. */
  readonly cellTimeoutMs: number;
  /** How many printed characters of a cell are kept; 100,000 when absent. */
  readonly maxOutputLength: number;
  /** How many characters of a cell's output the model is shown; 10,000 when absent. */
  readonly maxShownLength: number;
  /** How long the answer given to `FINAL` may be; 1,000,000 characters when absent. */
  readonly maxFinalLength: number;
  /**
   * How many levels of runs may be below this one. With 1, the default, `llm_query` asks a model. With more, a query
   * that has a context is answered by a run with a REPL of its own. With 0 there are no queries.
   */
  readonly maxDepth: number;
  /** How many queries the run and the runs below it may make together; 1,000 when absent. */
  readonly maxQueries: number;
  /** How many queries of one run are under way at once; 8 when absent. */
  readonly parallelQueries: number;
  /** How long a prompt that a model is sent by a query may be; 500,000 characters when absent. */
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

/** The limits with the defaults filled in; throws `invalid_argument` for one that is not a usable number. */
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
