import { textOfContent } from '../../events/content-text.ts';
import type { LoggedEvent } from '../../events/index.ts';

/** A text that can be found: what a person said, or a complete text of a run. */
export interface SearchedText {
  /** The seq of its first event and of its last. */
  readonly seq: number;
  readonly lastSeq: number;
  readonly messageId: string;
  readonly text: string;
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
