import type { EventType, LoggedEvent } from './vocabulary.ts';

/** Selects events of all threads. */
export interface EventQuery {
  /** Only events of these types. */
  readonly types?: readonly EventType[];
  /** Only events that are not earlier, ISO 8601. */
  readonly since?: string;
  /** Only threads of this resource. */
  readonly resourceId?: string;
  /** At most this many; 500 when absent. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

/** An event and the thread it was appended to: both ids together name it. */
export interface ThreadEvent {
  readonly threadId: string;
  readonly resourceId: string;
  readonly event: LoggedEvent;
}

/** A page of the events of all threads. */
export interface EventPage {
  readonly events: readonly ThreadEvent[];
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string;
  /** The `since` for the first page of the next query, which returns the events appended after this one. */
  readonly until: string;
}
