import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { errorText } from '../../base/error-text.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { persistDeclarations } from './declarations.ts';
import type { RlmLimits } from './rlm-limits.ts';
import type { GlobalsConfig } from './sandbox-globals.ts';
import type { FromThread, ThreadData, ToThread } from './sandbox-messages.ts';

export interface SandboxOptions {
  /** The program of its thread. */
  readonly program: string;
  readonly context: string;
  /** The functions that code may call in addition to `llm_query`. */
  readonly functions: readonly string[];
  readonly limits: RlmLimits;
  /** Ends the sandbox. */
  readonly signal: AbortSignal;
  /** The time in milliseconds. Default: the clock of this process. */
  readonly now?: () => number;
}

/** The callbacks of a running cell. */
export interface CellHandlers {
  print(chunk: string, stream: 'stdout' | 'stderr'): void;
  /** Answers a function call; a rejection is an error that the code can catch. */
  call(name: string, args: readonly unknown[]): Promise<unknown>;
}

/** The result of a cell. */
export interface CellOutcome {
  readonly error?: string;
  /** The value passed to `FINAL`; with `structured` it was no string, and this is its JSON. */
  readonly final?: string;
  readonly structured?: true;
  /** Whether the printed output was truncated. */
  readonly truncated: boolean;
  /** The duration in milliseconds, without the start of the sandbox. */
  readonly durationMs: number;
}

const callShape = z.object({ name: z.string(), args: z.array(z.unknown()) });
const startMs = 30_000;
const graceMs = 2_000;
/** The number of thread messages handled before other work of this process gets its turn. */
const messagesAtOnce = 32;
const lost = 'The REPL was started anew: all variables are gone, `context` is as it was.';

interface OpenCell {
  readonly handlers: CellHandlers;
  readonly end: (outcome: Omit<CellOutcome, 'durationMs'>) => void;
  /** When it began; undefined while the sandbox starts. */
  startedAt: number | undefined;
}

/**
 * Runs the cells of one run in a separate thread: variables persist between cells. Code that hangs or breaks the engine
 * ends with its thread; the next cell gets a new one. Only JSON text crosses the boundary.
 */
export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #now: () => number;
  #worker: Worker | undefined;
  #cell: OpenCell | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  /** Whether the thread has started. */
  #isReady = false;
  #sent = 0;
  /** The unhandled messages of the thread, in order. */
  #incoming: FromThread[] = [];
  #isHandling = false;

  /** Throws `invalid_argument` when the context does not fit. */
  constructor(options: SandboxOptions) {
    const { context, limits } = options;
    const room = Math.floor(limits.memoryBytes / 8);
    if (context.length > room)
      throw new SingletreeError(
        'invalid_argument',
        `The context has ${context.length} characters, and a sandbox with ${limits.memoryBytes} bytes of memory can hold ${room}. Raise limits.memoryBytes.`,
        { details: { length: context.length, room } },
      );
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Runs a cell to its end; rejects only when the signal aborts. One cell at a time. */
  run(code: string, handlers: CellHandlers): Promise<CellOutcome> {
    const { signal } = this.#options;
    return new Promise<CellOutcome>((resolve, reject) => {
      const stop = () => {
        this.#cell = undefined;
        void this.close();
        reject(signal.reason as Error);
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      const end = (outcome: Omit<CellOutcome, 'durationMs'>) => {
        signal.removeEventListener('abort', stop);
        this.#cell = undefined;
        const now = this.#now();
        resolve({ ...outcome, durationMs: now - (cell.startedAt ?? now) });
      };
      const cell: OpenCell = { handlers, startedAt: this.#isReady ? this.#now() : undefined, end };
      this.#cell = cell;
      this.start();
      this.#send({ type: 'run', code: persistDeclarations(code), written: code });
    });
  }

  /** Starts the thread unless it is running, so that a cell need not wait for it. */
  start(): void {
    if (this.#worker !== undefined || this.#options.signal.aborted) return;
    const data = threadData(this.#options);
    const worker = new Worker(this.#options.program, {
      eval: true,
      workerData: data,
      env: {},
      execArgv: [],
      resourceLimits: { stackSizeMb: 16, maxOldGenerationSizeMb: 256 + Math.ceil(data.context.length / 2 ** 18) },
    });
    worker.on('message', (message: FromThread) => {
      this.#incoming.push(message);
      if (!this.#isHandling) this.#handleSome();
    });
    worker.on('error', error => this.#fail(`The sandbox failed: ${error.message}`));
    worker.on('exit', () => this.#fail('The sandbox ended.'));
    this.#worker = worker;
    this.#sent = 0;
    this.#watch(startMs, `The sandbox did not start within ${startMs} ms.`);
  }

  /** Terminates the thread, even while a cell runs. */
  async close(): Promise<void> {
    this.#rest();
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    this.#incoming = [];
    worker?.removeAllListeners().on('error', () => {});
    await worker?.terminate();
  }

  /** Handles messages in small batches: a cell that makes thousands of calls must not block the process. */
  #handleSome(): void {
    const messages = this.#incoming.splice(0, messagesAtOnce);
    this.#isHandling = messages.length > 0;
    if (!this.#isHandling) return;
    setImmediate(() => this.#handleSome());
    const worker = this.#worker;
    // Messages of an ended thread are ignored.
    for (const message of messages) if (this.#worker === worker) this.#take(message);
  }

  #take(message: FromThread): void {
    const cell = this.#cell;
    if (message.type === 'ready') {
      this.#rest();
      this.#isReady = true;
      if (cell !== undefined) cell.startedAt = this.#now();
      if (this.#sent > 0) this.#watchCell();
    } else if (cell === undefined) return;
    else if (message.type === 'print') cell.handlers.print(message.chunk, message.stream);
    else if (message.type === 'call') void this.#call(cell, message);
    else if (message.type === 'idle') {
      this.#rest();
      if (message.handled < this.#sent) this.#watchCell();
    } else {
      this.#rest();
      const { type: _, broken, ...outcome } = message;
      if (!broken) return cell.end(outcome);
      void this.close();
      cell.end({ ...outcome, error: `${outcome.error ?? 'Its promises did not come to an end.'} ${lost}` });
    }
  }

  async #call(cell: OpenCell, { id, json }: { readonly id: number; readonly json: string }): Promise<void> {
    let settled: { ok: boolean; value: unknown };
    try {
      const { name, args } = callShape.parse(JSON.parse(json));
      settled = { ok: true, value: (await cell.handlers.call(name, args)) ?? null };
    } catch (error) {
      settled = { ok: false, value: errorText(error) };
    }
    if (this.#cell === cell) this.#send({ type: 'settle', id, ok: settled.ok, json: JSON.stringify(settled.value) });
  }

  #send(message: ToThread): void {
    if (this.#worker === undefined) return;
    this.#sent++;
    this.#worker.postMessage(message, []);
    this.#watchCell();
  }

  /** The thread stops code itself, unless the engine hangs in an operation that cannot be interrupted. */
  #watchCell(): void {
    const { cellTimeoutMs } = this.#options.limits;
    this.#watch(
      cellTimeoutMs + graceMs,
      `The cell was stopped: it ran for more than ${cellTimeoutMs} ms in one built-in function.`,
    );
  }

  #watch(ms: number, problem: string): void {
    this.#watchdog ??= setTimeout(() => this.#fail(problem), ms);
  }

  #rest(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = undefined;
  }

  #fail(problem: string): void {
    const cell = this.#cell;
    void this.close();
    cell?.end({ error: `${problem} ${lost}`, truncated: false });
  }
}

/** Loads the program of a sandbox's thread, with its engine. */
export async function loadSandboxProgram(): Promise<string> {
  return (await import('virtual:sandbox-program')).program;
}

function threadData({ context, functions, limits }: SandboxOptions): ThreadData {
  const { memoryBytes, stackBytes, cellTimeoutMs, maxOutputLength, maxFinalLength } = limits;
  const config: GlobalsConfig = { functions, maxOutputLength, maxFinalLength };
  return {
    config: JSON.stringify(config),
    context,
    memoryBytes,
    stackBytes,
    cellTimeoutMs,
    maxOutputLength,
  };
}
