import { SingletreeError } from '../../../events/index.ts';

export interface CommandQueueOptions {
  /** Resolves when commands may run. */
  readonly ready: () => Promise<void>;
  /** Called after a command that may have switched the thread or the mode. */
  readonly onSwitched: () => void;
}

/** Runs commands one after another, in the order of their calls; each call has an order number. */
export class CommandQueue {
  readonly #options: CommandQueueOptions;
  #newest = 0;
  #switching = 0;
  #activeOrder = 0;
  #pending = 0;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: CommandQueueOptions) {
    this.#options = options;
  }

  /** Returns the order number of a new call. */
  nextOrder(): number {
    return ++this.#newest;
  }

  /** Whether a command is queued that may switch the thread or the mode. */
  get isSwitching(): boolean {
    return this.#switching > 0;
  }

  /** Whether all commands have settled. */
  get isIdle(): boolean {
    return this.#pending === 0 && this.#switching === 0;
  }

  /** The order number of the running command that may switch; 0 when none is running. */
  get activeOrder(): number {
    return this.#activeOrder;
  }

  /** Runs a command that may switch the thread or the mode: later input is for the thread it leads to. */
  async runSwitch<Result>(work: () => Promise<Result>): Promise<Result> {
    const number = this.nextOrder();
    this.#switching++;
    try {
      await this.#options.ready();
      return await this.runExclusive(() => {
        this.#activeOrder = number;
        return work().finally(() => (this.#activeOrder = 0));
      });
    } finally {
      this.#switching--;
      this.#options.onSwitched();
    }
  }

  /** Runs a command when all earlier ones have settled; rejects with `log_closed` after `close`. */
  runExclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.runAlways(() => (this.#isClosed ? Promise.reject(harnessDestroyed()) : work()));
  }

  /** Runs a command like `runExclusive`, even after `close`. */
  runAlways<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#pending++;
    const done = this.#last.then(work).finally(() => this.#pending--);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Rejects all later commands. */
  close(): void {
    this.#isClosed = true;
  }
}

/** The error of a call on a destroyed harness. */
export function harnessDestroyed(): SingletreeError {
  return new SingletreeError('log_closed', 'The harness was destroyed. Create a new one.');
}
