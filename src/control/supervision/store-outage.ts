import { isStoreUnavailable, type SingletreeError } from '../../base/singletree-error.ts';
import type { Clock } from '../../agents/clock.ts';

export interface StoreOutageOptions {
  readonly clock: Clock;
  /** Called once when the store cannot be written. */
  readonly onBegin: (error: SingletreeError) => void;
  /** Called once when it can be written again, with the error and the duration. */
  readonly onEnd: (error: SingletreeError, milliseconds: number) => void;
}

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/**
 * Retries the writes of a run while the store is full or locked: the agent waits at its next event, so that nothing is
 * lost or repeated. All other failures are passed to the caller.
 */
export class StoreOutage {
  readonly #options: StoreOutageOptions;
  #outage: { readonly error: SingletreeError; readonly since: number } | undefined;
  #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(options: StoreOutageOptions) {
    this.#options = options;
  }

  /** Why the store cannot be written now; undefined when it can. */
  get error(): SingletreeError | undefined {
    return this.#outage?.error;
  }

  /** Resolves with the result of the write; rejects when it fails for another reason, or after `close`. */
  async write<Result>(write: () => Promise<Result>): Promise<Result> {
    for (let wait = firstWaitMs; ; wait = Math.min(wait * 2, longestWaitMs))
      try {
        const result = await write();
        this.#end();
        return result;
      } catch (error) {
        if (!isStoreUnavailable(error) || this.#isClosed) throw error;
        this.#begin(error);
        await this.#pause(wait);
        if (this.#isClosed) throw error;
      }
  }

  /** Rejects pending writes, and the next one that fails. */
  close(): void {
    this.#isClosed = true;
    for (const resume of this.#waiting) resume();
  }

  #begin(error: SingletreeError): void {
    if (this.#outage !== undefined) return;
    this.#outage = { error, since: this.#options.clock.now() };
    this.#options.onBegin(error);
  }

  #end(): void {
    const outage = this.#outage;
    if (outage === undefined) return;
    this.#outage = undefined;
    this.#options.onEnd(outage.error, this.#options.clock.now() - outage.since);
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const resume = () => {
        cancel();
        this.#waiting.delete(resume);
        resolve();
      };
      const cancel = this.#options.clock.after(ms, resume);
      this.#waiting.add(resume);
    });
  }
}

/** Reports an outage of the log to a person, once for all threads. */
export class OutageReports {
  readonly #report: (line: string) => void;
  readonly #threads = new Set<string>();

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  begin(threadId: string, { message }: SingletreeError): void {
    if (this.#threads.size === 0) this.#report(`${message} Runs wait until the log can be written.`);
    this.#threads.add(threadId);
  }

  end(threadId: string): void {
    this.close(threadId);
    if (this.#threads.size === 0) this.#report('The log can be written again.');
  }

  /** No run of the thread waits any longer. */
  close(threadId: string): void {
    this.#threads.delete(threadId);
  }
}
