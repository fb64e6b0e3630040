/** What a sandbox thread is started with. */
export interface ThreadData {
  /** Where the engine is loaded from. */
  readonly engine: string;
  /** The text of the function that makes the names in the sandbox. */
  readonly globals: string;
  /** What that function is given, as JSON. */
  readonly config: string;
  readonly context: string;
  readonly memoryBytes: number;
  readonly stackBytes: number;
  readonly cellTimeoutMs: number;
  readonly maxOutputLength: number;
}

/** What a thread is told. */
export type ToThread =
  /** Runs a cell: the code to run, and the one to run when that does not parse. */
  | { readonly type: 'run'; readonly code: string; readonly written: string }
  /** The outcome of a call, as JSON. */
  | { readonly type: 'settle'; readonly id: number; readonly ok: boolean; readonly json: string };

/** What a thread tells. */
export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'print'; readonly stream: 'stdout' | 'stderr'; readonly chunk: string }
  /** Code called a function of the host: `{ name, args }` as JSON. */
  | { readonly type: 'call'; readonly id: number; readonly json: string }
  /** It waits for the outcomes of calls, and has dealt with this many messages. */
  | { readonly type: 'idle'; readonly handled: number }
  /** The cell is over. `broken` when the sandbox cannot be used any more. */
  | {
      readonly type: 'done';
      readonly error?: string;
      readonly final?: string;
      readonly truncated: boolean;
      readonly broken: boolean;
    };
