import type { Calls } from './command-queue.ts';
import type { LeftTurns } from '../turns/unsent-messages.ts';
import type { Threads } from './threads.ts';
import type { Turns } from '../turns/turns.ts';

export interface ResourcesOptions {
  readonly resourceId: string;
  readonly calls: Calls;
  readonly turns: Turns;
  readonly leftTurns: LeftTurns;
  readonly threads: () => Threads;
  readonly onError: (error: unknown) => void;
}

/**
 * The resource that callers chose last. It is in effect for all calls made after the choice and for none made before:
 * while some of those wait, the thread they lead to is open for them and hidden from callers.
 */
export class Resources {
  readonly #options: ResourcesOptions;
  #id: string;
  #choices = 0;
  #reached = 0;

  constructor(options: ResourcesOptions) {
    this.#options = options;
    this.#id = options.resourceId;
  }

  /** The resource in effect for calls made now. */
  get id(): string {
    return this.#id;
  }

  /** How often another one was chosen: marks a call as made under the newest. */
  get choice(): number {
    return this.#choices;
  }

  /** Whether the open thread is one of the calls that were made under a choice. */
  isReached(choice: number): boolean {
    return this.#reached === choice;
  }

  /** Whether calls made under an earlier choice still wait. */
  get isChanging(): boolean {
    return this.#reached !== this.#choices;
  }

  /** Leaves the open thread and stops what runs in it: at once when no call waits, else after those that do. */
  choose(resourceId: string): void {
    const { calls, turns, leftTurns, onError } = this.#options;
    const number = calls.next();
    const choice = ++this.#choices;
    this.#id = resourceId;
    if (calls.isIdle && !turns.isStarting) return this.#leave(resourceId, number);
    leftTurns.skip(number);
    const changing = calls.leave(() =>
      this.#options
        .threads()
        .changeResource(resourceId)
        .finally(() => (this.#reached = choice)),
    );
    void changing.catch(onError);
  }

  #leave(resourceId: string, number: number): void {
    const { calls, turns, leftTurns, onError } = this.#options;
    const threads = this.#options.threads();
    const kept = leftTurns.leave(number).catch(onError);
    turns.abort();
    threads.leave();
    threads.resourceId = resourceId;
    this.#reached = this.#choices;
    void calls.atEnd(async () => {
      await kept;
      await turns.stop();
      if (threads.current === undefined) await threads.clear();
    });
  }
}
