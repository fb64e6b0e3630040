import { newId } from '../../../events/index.ts';
import type { EventLog } from '../../../log/index.ts';
import type { Runs } from './runs.ts';
import type { UserInput, Turn, Turns } from './turns.ts';

/** Where something was to be said: in a thread, or in the first one of a resource. */
interface MessageTarget {
  readonly resourceId: string;
  threadId: string | undefined;
}

export interface UnsentMessagesOptions {
  readonly log: EventLog;
  readonly runs: Runs;
  readonly turns: Turns;
  /** Where what is said now goes. */
  readonly target: () => MessageTarget;
}

/** What was said before its thread was left, and had not begun: it stays there, without an answer. */
export class UnsentMessages {
  readonly #options: UnsentMessagesOptions;
  /** Where they are kept; undefined for where it is when they would begin. */
  readonly #targets = new WeakMap<Turn, MessageTarget | undefined>();

  constructor(options: UnsentMessagesOptions) {
    this.#options = options;
  }

  /** The thread is left: what was said before and has not begun is kept in it. */
  async detachThread(order: number): Promise<void> {
    const { turns } = this.#options;
    const target = this.#options.target();
    const { current: turn } = turns;
    if (turn !== undefined && turn.order < order) {
      turns.detach();
      if (turn.handles.length === 0) this.#targets.set(turn, this.#targets.get(turn) ?? target);
    }
    await this.#store(target, turns.dropQueued(order));
  }

  /** The thread will be left: a turn that was asked for before and has not begun is kept where it would begin. */
  detachStartingTurn(order: number): void {
    const { turns } = this.#options;
    const { current: turn } = turns;
    if (turn === undefined || turn.handles.length > 0 || turn.order >= order) return;
    turns.detach();
    if (!this.#targets.has(turn)) this.#targets.set(turn, undefined);
  }

  /** Keeps what was said in a turn that was left before it began; tells whether it was. */
  async storeIfDetached(turn: Turn, inputs: readonly UserInput[]): Promise<boolean> {
    if (!this.#targets.has(turn)) return false;
    const target = this.#targets.get(turn) ?? this.#options.target();
    this.#targets.set(turn, target);
    await this.#store(target, inputs);
    return true;
  }

  async #store(target: MessageTarget, inputs: readonly UserInput[]): Promise<void> {
    if (inputs.length === 0) return;
    const { log, runs } = this.#options;
    target.threadId ??= (await log.createThread({ resourceId: target.resourceId })).id;
    const messages = inputs.map(({ id = newId(), content }) => ({ id, content }));
    await runs.storeUnread(target.threadId, messages);
  }
}
