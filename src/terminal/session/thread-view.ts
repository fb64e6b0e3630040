import type { LoggedEvent } from '../../events/index.ts';
import { type EventLog, readWindow } from '../../log/index.ts';
import { readingFrom, type ThreadReading, threadReading, type ThreadReadingState } from '../../projections/index.ts';
import { EventTimes } from '../rows/times.ts';

/** How many events of an opened thread are read; earlier messages are read by the transcript. */
const windowEvents = 1_000;

/** The reading view of the end of a thread and the times of its events, continued with each event that follows. */
export class ThreadView {
  readonly times = new EventTimes();
  /** Whether messages before the window exist. */
  readonly hasEarlier: boolean;
  #state: ThreadReadingState;
  #view: ThreadReading | undefined;

  private constructor(state: ThreadReadingState, hasEarlier: boolean) {
    this.#state = state;
    this.hasEarlier = hasEarlier;
  }

  /** Reads the end of a thread, up to the newest event or the one of `seq`. */
  static async open(log: EventLog, threadId: string, seq?: number): Promise<ThreadView> {
    const end = seq === undefined ? {} : { before: seq + 1 };
    const { snapshot, events, hasEarlier } = await readWindow(log, threadId, { limit: windowEvents, ...end });
    const view = new ThreadView(snapshot === undefined ? threadReading.initial : readingFrom(snapshot), hasEarlier);
    for (const event of events) view.take(event);
    return view;
  }

  /** The seq of the newest event in it. */
  get seq(): number {
    return this.#state.seq;
  }

  get reading(): ThreadReading {
    return (this.#view ??= threadReading.view(this.#state));
  }

  take(event: LoggedEvent): void {
    this.#state = threadReading.step(this.#state, event);
    this.times.take(event);
    this.#view = undefined;
  }
}
