import type { LoggedEvent } from '../../../src/events/vocabulary.ts';
import {
  type ThreadReading,
  threadReading,
  type ThreadReadingState,
} from '../../../src/projections/reading/thread-reading.ts';
import { type SeenNode, SeenNodes } from './seen-node.ts';

/** The conversation as it was at one event: its newest messages and its totals. */
export interface Moment {
  readonly seq: number;
  readonly type: string;
  readonly ts: string;
  readonly nodes: readonly SeenNode[];
  /** Where the newest list of tasks is. */
  readonly tasks?: ThreadReading['tasks'];
  readonly running: number;
  readonly pending: number;
  readonly tokens: number;
}

/** A state is kept for every so many events: going back reads on from the one before. */
const everyEvents = 64;
const mostNodes = 6;

/** Returns the conversation as of any event. Reading states are immutable, so earlier ones are kept as checkpoints. */
export class Moments {
  readonly #events: readonly LoggedEvent[];
  readonly #seen = new SeenNodes();
  readonly #kept: ThreadReadingState[] = [threadReading.initial];
  #last: { readonly index: number; readonly state: ThreadReadingState } = { index: 0, state: threadReading.initial };

  constructor(events: readonly LoggedEvent[]) {
    this.#events = events;
  }

  at(seq: number): Moment {
    const first = this.#events[0]?.seq ?? 1;
    const count = Math.max(0, Math.min(this.#events.length, seq - first + 1));
    const state = this.#stateAfter(count);
    const event = this.#events[count - 1];
    const { nodeList, running, pending, usage, tasks } = threadReading.view(state);
    const nodes = nodeList.slice(Math.max(0, nodeList.length - mostNodes));
    return {
      seq: event?.seq ?? 0,
      type: event?.type ?? '',
      ts: event?.ts ?? '',
      nodes: nodes.map(node => this.#seen.of(node)),
      ...(tasks && { tasks }),
      running: running.length,
      pending: pending.length,
      tokens: usage.inputTokens + usage.outputTokens,
    };
  }

  #stateAfter(count: number): ThreadReadingState {
    const slot = Math.min(Math.floor(count / everyEvents), this.#kept.length - 1);
    const isAhead = this.#last.index <= count && this.#last.index >= slot * everyEvents;
    let { index, state } = isAhead
      ? this.#last
      : { index: slot * everyEvents, state: this.#kept[slot] ?? threadReading.initial };
    for (; index < count; ) {
      state = threadReading.step(state, this.#events[index] as LoggedEvent);
      index++;
      if (index === this.#kept.length * everyEvents) this.#kept.push(state);
    }
    this.#last = { index, state };
    return state;
  }
}
