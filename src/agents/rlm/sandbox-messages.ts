/** The start parameters of a sandbox thread. */
export interface ThreadData {
  /** The arguments of the function that creates the globals, as JSON. */
  readonly config: string;
  readonly context: string;
  readonly memoryBytes: number;
  readonly stackBytes: number;
  readonly cellTimeoutMs: number;
  readonly maxOutputLength: number;
}

/** Messages to a thread. */
export type ToThread =
  /** Runs a cell: the code to run, and a fallback when that does not parse. */
  | { readonly type: 'run'; readonly code: string; readonly written: string }
  /** The outcome of a call, as JSON. */
  | { readonly type: 'settle'; readonly id: number; readonly ok: boolean; readonly json: string };

/** Messages from a thread. */
export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'print'; readonly stream: 'stdout' | 'stderr'; readonly chunk: string }
  /** Code called a function of the host: `{ name, args }` as JSON. */
  | { readonly type: 'call'; readonly id: number; readonly json: string }
  /** Reports that it waits for the outcomes of calls, and the number of handled messages. */
  | { readonly type: 'idle'; readonly handled: number }
  /** Reports the end of the cell; `broken` when the sandbox is unusable. */
  | {
      readonly type: 'done';
      readonly error?: string;
      readonly final?: string;
      readonly structured?: true;
      readonly truncated: boolean;
      readonly broken: boolean;
    };
