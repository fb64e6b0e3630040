import type { LoggedEvent } from '../../events/index.ts';
import { type EventLog, readWindow } from '../../log/index.ts';
import { readingFrom, type ThreadReading, threadReading, type ThreadReadingState } from '../../projections/index.ts';
import { EventTimes } from '../rows/times.ts';

/** How many events of an opened thread are read; earlier messages are read by the transcript. */
const windowEvents = 1_000;

/** The reading view of the end of a thread and the times of its events, continued with each event that follows. */
export class ThreadView {
  readonly times = new EventTimes();
  #state: ThreadReadingState;
  #view: ThreadReading | undefined;

  private constructor(state: ThreadReadingState) {
    this.#state = state;
  }

  /** Reads the end of a thread, up to the event of `seq`. */
  static async open(log: EventLog, threadId: string, seq: number): Promise<ThreadView> {
    const { snapshot, events } = await readWindow(log, threadId, { limit: windowEvents, before: seq + 1 });
    const view = new ThreadView(snapshot === undefined ? threadReading.initial : readingFrom(snapshot));
    for (const event of events) view.take(event);
    return view;
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
