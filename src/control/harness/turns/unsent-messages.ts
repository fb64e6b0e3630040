import { newId } from '../../../events/index.ts';
import type { EventLog } from '../../../log/index.ts';
import type { Runs } from './runs.ts';
import type { Said, Turn, Turns } from './turns.ts';

/** Where something was to be said: in a thread, or in the first one of a resource. */
interface Place {
  readonly resourceId: string;
  threadId: string | undefined;
}

export interface LeftTurnsOptions {
  readonly log: EventLog;
  readonly runs: Runs;
  readonly turns: Turns;
  /** Where what is said now goes. */
  readonly place: () => Place;
}

/** What was said before its thread was left, and had not begun: it stays there, without an answer. */
export class LeftTurns {
  readonly #options: LeftTurnsOptions;
  /** Where they are kept; undefined for where it is when they would begin. */
  readonly #left = new WeakMap<Turn, Place | undefined>();

  constructor(options: LeftTurnsOptions) {
    this.#options = options;
  }

  /** The thread is left: what was said before and has not begun is kept in it. */
  async leave(order: number): Promise<void> {
    const { turns } = this.#options;
    const place = this.#options.place();
    const { current: turn } = turns;
    if (turn !== undefined && turn.order < order) {
      turns.leave();
      if (turn.handles.length === 0) this.#left.set(turn, this.#left.get(turn) ?? place);
    }
    await this.#keep(place, turns.forget(order));
  }

  /** The thread will be left: a turn that was asked for before and has not begun is kept where it would begin. */
  skip(order: number): void {
    const { turns } = this.#options;
    const { current: turn } = turns;
    if (turn === undefined || turn.handles.length > 0 || turn.order >= order) return;
    turns.leave();
    if (!this.#left.has(turn)) this.#left.set(turn, undefined);
  }

  /** Keeps what was said in a turn that was left before it began; tells whether it was. */
  async keep(turn: Turn, said: readonly Said[]): Promise<boolean> {
    if (!this.#left.has(turn)) return false;
    const place = this.#left.get(turn) ?? this.#options.place();
    this.#left.set(turn, place);
    await this.#keep(place, said);
    return true;
  }

  async #keep(place: Place, said: readonly Said[]): Promise<void> {
    if (said.length === 0) return;
    const { log, runs } = this.#options;
    place.threadId ??= (await log.createThread({ resourceId: place.resourceId })).id;
    const messages = said.map(({ id = newId(), content }) => ({ id, content }));
    await runs.keepUnread(place.threadId, messages);
  }
}
