import { textOfContent } from '../../events/content-text.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';

/** A searchable text: a user message, or a complete text of a run. */
export interface SearchedText {
  /** The seq of its first event and of its last. */
  readonly seq: number;
  readonly lastSeq: number;
  readonly messageId: string;
  readonly text: string;
  /** When its first event happened. */
  readonly time: string;
}

/** The title of a thread, as a text that can be found. */
export function titleText(text: string, time: string): SearchedText {
  return { seq: 0, lastSeq: 0, messageId: '', text, time };
}

/** How many texts of one millisecond get distinct order numbers. */
export const ordersPerMs = 1024;

/** The order of the first text of a time among all texts: an import may add older ones. */
export function firstOrderAt(time: string): number {
  const ms = Math.floor(Date.parse(time));
  return Math.min(Math.max(ms, 0) || 0, 2 ** 43 - 2) * ordersPerMs;
}

/** The text that begins with the first of these events, put together from those that continue it. */
export function textOfEvents(events: readonly LoggedEvent[]): string {
  const [first] = events;
  if (first?.type === 'user') return textOfContent(first.content);
  if (first?.type !== 'text') return '';
  return events.flatMap(event => (isSameText(first, event) ? [event.content] : [])).join('');
}

function isSameText(
  first: LoggedEvent & { type: 'text' },
  event: LoggedEvent,
): event is LoggedEvent & { type: 'text' } {
  return event.type === 'text' && event.runId === first.runId && event.id === first.id;
}
