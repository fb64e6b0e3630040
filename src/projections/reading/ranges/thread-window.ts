import type { LoggedEvent } from '../../../events/vocabulary.ts';
import type { ReadingSnapshot } from '../reading-snapshot.ts';

/** The part of a thread to read: one of these fields, or its end when none is set. */
export interface WindowPart {
  /** The events up to this seq, it excluded. */
  readonly before?: number;
  /** The events from this seq on, it excluded. */
  readonly after?: number;
  /** The events before and after this seq. */
  readonly around?: number;
  /** The events around the beginning of this message. */
  readonly message?: string;
  /** About how many events; 500 when absent. */
  readonly limit?: number;
}

/** A part of a thread; apply its events to `readingFrom(snapshot)` to get its reading. */
export interface WindowOfThread {
  /** Absent when it begins with the first event of the thread. */
  readonly snapshot?: ReadingSnapshot;
  readonly events: readonly LoggedEvent[];
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}
