import { SingletreeError } from '../../../events/index.ts';

export interface CommandQueueOptions {
  /** Resolves when there can be work. */
  readonly ready: () => Promise<void>;
  /** Told when work that might have left the thread or the mode is done. */
  readonly onSwitched: () => void;
}

/** Calls take effect in their order: each has a number, and what changes what is open is done one after another. */
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

  /** The number of one more call. */
  nextOrder(): number {
    return ++this.#newest;
  }

  /** Whether a call is on its way that may leave the thread or the mode. */
  get isSwitching(): boolean {
    return this.#switching > 0;
  }

  /** Whether all calls have settled. */
  get isIdle(): boolean {
    return this.#pending === 0 && this.#switching === 0;
  }

  /** The number of the call that may leave them and is at work; 0 when none is. */
  get activeOrder(): number {
    return this.#activeOrder;
  }

  /** Works on what may leave the thread or the mode: what is said from now on is for what comes then. */
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

  /** Works when all that was asked for before has settled, whichever way; rejects with `log_closed` when that ended for good. */
  runExclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.runAlways(() => (this.#isClosed ? Promise.reject(harnessDestroyed()) : work()));
  }

  /** The same for work that has to be done whatever ended. */
  runAlways<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#pending++;
    const done = this.#last.then(work).finally(() => this.#pending--);
    this.#last = done.catch(() => {});
    return done;
  }

  /** From now on nothing else begins. */
  close(): void {
    this.#isClosed = true;
  }
}

/** The error for what is asked of a harness that was destroyed. */
export function harnessDestroyed(): SingletreeError {
  return new SingletreeError('log_closed', 'The harness was destroyed: make a new one.');
}
