import { newId } from '../../events/index.ts';
import type { EventLog } from '../../log/index.ts';
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
  readonly #left = new WeakMap<Turn, Place>();

  constructor(options: LeftTurnsOptions) {
    this.#options = options;
  }

  /** The thread is left: what was said before and has not begun is kept in it. */
  async leave(order: number): Promise<void> {
    const { turns } = this.#options;
    const place = this.#options.place();
    const { current: turn } = turns;
    if (turn !== undefined && turn.handles.length === 0 && turn.order < order) this.#left.set(turn, place);
    await this.#keep(place, turns.forget(order));
  }

  /** Keeps what was said in a turn that was left before it began; tells whether it was. */
  async keep(turn: Turn, said: readonly Said[]): Promise<boolean> {
    const place = this.#left.get(turn);
    if (place === undefined) return false;
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
