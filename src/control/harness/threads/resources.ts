import type { CommandQueue } from './command-queue.ts';
import type { UnsentMessages } from '../turns/unsent-messages.ts';
import type { Threads } from './threads.ts';
import type { Turns } from '../turns/turns.ts';

export interface ResourcesOptions {
  readonly resourceId: string;
  readonly commands: CommandQueue;
  readonly turns: Turns;
  readonly unsentMessages: UnsentMessages;
  readonly threads: () => Threads;
  readonly onError: (error: unknown) => void;
}

/**
 * The resource that callers chose last. It applies to all later calls and to no earlier one: while earlier calls are
 * queued, their thread is open for them and hidden from callers.
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

  /** The resource in effect for new calls. */
  get id(): string {
    return this.#id;
  }

  /** The number of choices: marks a call as made under the newest one. */
  get choice(): number {
    return this.#choices;
  }

  /** Whether the open thread belongs to the calls made under a choice. */
  isReached(choice: number): boolean {
    return this.#reached === choice;
  }

  /** Whether calls made under an earlier choice are still queued. */
  get isChanging(): boolean {
    return this.#reached !== this.#choices;
  }

  /** Closes the open thread and aborts its run: at once when no call is queued, else after the queued ones. */
  choose(resourceId: string): void {
    const { commands, turns, unsentMessages, onError } = this.#options;
    const order = commands.nextOrder();
    const choice = ++this.#choices;
    this.#id = resourceId;
    if (commands.isIdle && !turns.isStarting) return this.#switchNow(resourceId, order);
    unsentMessages.detachStartingTurn(order);
    const changing = commands.runSwitch(() =>
      this.#options
        .threads()
        .changeResource(resourceId)
        .finally(() => (this.#reached = choice)),
    );
    void changing.catch(onError);
  }

  #switchNow(resourceId: string, order: number): void {
    const { commands, turns, unsentMessages, onError } = this.#options;
    const threads = this.#options.threads();
    const stored = unsentMessages.detachThread(order).catch(onError);
    turns.abort();
    threads.closeCurrent();
    threads.resourceId = resourceId;
    this.#reached = this.#choices;
    void commands.runAlways(async () => {
      await stored;
      await turns.stop();
      if (threads.current === undefined) await threads.closeAndRelease();
    });
  }
}
