import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { EventLog, ReadRange } from '../../log/event-log.ts';
import { RedactedEvents } from './redacted-events.ts';
import type { Redactor } from './redactor.ts';

interface RedactedSource {
  readonly log: Pick<EventLog, 'read'>;
  readonly redactor: Redactor;
}

/** Reads events of a thread without the secrets that are split over fragments of one text. */
export async function readRedacted(
  source: RedactedSource,
  threadId: string,
  range: ReadRange,
): Promise<readonly LoggedEvent[]> {
  const events = await source.log.read(threadId, range);
  return redactPart(source, threadId, { firstSeq: (range.after ?? 0) + 1, events });
}

/** Redacts a part of a thread; reads earlier events to detect secrets that are split over the start of the part. */
export async function redactPart(
  { log, redactor }: RedactedSource,
  threadId: string,
  { firstSeq, events }: { readonly firstSeq: number; readonly events: readonly LoggedEvent[] },
): Promise<LoggedEvent[]> {
  const shown = new RedactedEvents(redactor);
  const after = Math.max(0, firstSeq - 1 - shown.lookBehind);
  if (after < firstSeq - 1) shown.prime(await log.read(threadId, { after, before: firstSeq }));
  return [...events.flatMap(event => shown.push(event)), ...shown.end()];
}
