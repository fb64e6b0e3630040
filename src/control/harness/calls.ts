import { SingletreeError } from '../../events/index.ts';
import { SerialQueue } from '../../log/serial-queue.ts';

export interface CallsOptions {
  /** Resolves when there can be work. */
  readonly ready: () => Promise<void>;
  /** Told when work that might have left the thread or the mode is done. */
  readonly onLeft: () => void;
}

/** Calls take effect in their order: each has a number, and what changes what is open is done one after another. */
export class Calls {
  readonly #options: CallsOptions;
  #newest = 0;
  #leaving = 0;
  #atWork = 0;
  #pending = 0;
  readonly #queue = new SerialQueue();
  #isClosed = false;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** The number of one more call. */
  next(): number {
    return ++this.#newest;
  }

  /** Whether a call is on its way that may leave the thread or the mode. */
  get isLeaving(): boolean {
    return this.#leaving > 0;
  }

  /** Whether all calls have settled. */
  get isIdle(): boolean {
    return this.#pending === 0 && this.#leaving === 0;
  }

  /** The number of the call that may leave them and is at work; 0 when none is. */
  get atWork(): number {
    return this.#atWork;
  }

  /** Works on what may leave the thread or the mode: what is said from now on is for what comes then. */
  async leave<Result>(work: () => Promise<Result>): Promise<Result> {
    const number = this.next();
    this.#leaving++;
    try {
      await this.#options.ready();
      return await this.alone(() => {
        this.#atWork = number;
        return work().finally(() => (this.#atWork = 0));
      });
    } finally {
      this.#leaving--;
      this.#options.onLeft();
    }
  }

  /** Works when all that was asked for before has settled, whichever way; rejects with `log_closed` when that ended for good. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.atEnd(() => (this.#isClosed ? Promise.reject(closed()) : work()));
  }

  /** The same for work that has to be done whatever ended. */
  atEnd<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#pending++;
    return this.#queue.run(async () => {
      try {
        return await work();
      } finally {
        this.#pending--;
      }
    });
  }

  /** From now on nothing else begins. */
  close(): void {
    this.#isClosed = true;
  }
}

/** The error for what is asked of a harness that was destroyed. */
export function closed(): SingletreeError {
  return new SingletreeError('log_closed', 'The harness was destroyed: make a new one.');
}
