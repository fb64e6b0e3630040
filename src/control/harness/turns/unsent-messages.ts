import { newId } from '../../../events/index.ts';
import type { EventLog } from '../../../log/index.ts';
import type { Runs } from './runs.ts';
import type { UserInput, Turn, Turns } from './turns.ts';

/** Where a message belongs: a thread, or the first thread of a resource. */
interface MessageTarget {
  readonly resourceId: string;
  threadId: string | undefined;
}

export interface UnsentMessagesOptions {
  readonly log: EventLog;
  readonly runs: Runs;
  readonly turns: Turns;
  /** The target of new messages. */
  readonly target: () => MessageTarget;
}

/** Messages whose turn had not started when their thread was closed: they are stored there without an answer. */
export class UnsentMessages {
  readonly #options: UnsentMessagesOptions;
  /** The target of each detached turn; undefined for the target at the time it would start. */
  readonly #targets = new WeakMap<Turn, MessageTarget | undefined>();

  constructor(options: UnsentMessagesOptions) {
    this.#options = options;
  }

  /** Detaches the closing thread: stores the messages of earlier calls that have not started. */
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

  /**
   * Detaches a starting turn of an earlier call before its thread is closed; its message is stored where it would
   * start.
   */
  detachStartingTurn(order: number): void {
    const { turns } = this.#options;
    const { current: turn } = turns;
    if (turn === undefined || turn.handles.length > 0 || turn.order >= order) return;
    turns.detach();
    if (!this.#targets.has(turn)) this.#targets.set(turn, undefined);
  }

  /** Stores the input of a detached turn; returns false when the turn is not detached. */
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
