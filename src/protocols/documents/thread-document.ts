import type { LoggedEvent } from '../../events/index.ts';

/** What a document of a thread is made from. */
export interface ThreadDocument {
  readonly threadId: string;
  readonly title?: string | undefined;
  /** All events of the thread, in order, without secrets. */
  readonly events: readonly LoggedEvent[];
  /** The version of Singletree that writes it. */
  readonly version: string;
}
