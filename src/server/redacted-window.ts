import { RedactedEvents } from '../agents/redaction/redacted-events.ts';
import type { Redactor } from '../agents/redaction/redactor.ts';
import type { LoggedEvent } from '../events/index.ts';
import { type EventLog, type ReadRange, readWindow, type ThreadWindow, type WindowRequest } from '../log/index.ts';

/** Reads a window of a thread without the secrets that are split over fragments of one text. */
export async function readRedactedWindow(
  { log, redactor }: { readonly log: EventLog; readonly redactor: Redactor },
  threadId: string,
  request: WindowRequest,
): Promise<ThreadWindow> {
  const window = await readWindow(log, threadId, request);
  const { firstSeq, events } = window;
  return { ...window, events: await redactPart({ log, redactor }, threadId, { firstSeq, events }) };
}

/** Reads events of a thread in the same way. */
export async function readRedactedEvents(
  source: { readonly log: EventLog; readonly redactor: Redactor },
  threadId: string,
  range: ReadRange,
): Promise<readonly LoggedEvent[]> {
  const events = await source.log.read(threadId, range);
  return redactPart(source, threadId, { firstSeq: (range.after ?? 0) + 1, events });
}

async function redactPart(
  { log, redactor }: { readonly log: EventLog; readonly redactor: Redactor },
  threadId: string,
  { firstSeq, events }: { readonly firstSeq: number; readonly events: readonly LoggedEvent[] },
): Promise<LoggedEvent[]> {
  const shown = new RedactedEvents(redactor);
  const after = Math.max(0, firstSeq - 1 - shown.lookBehind);
  if (after < firstSeq - 1) shown.prime(await log.read(threadId, { after, before: firstSeq }));
  return [...events.flatMap(event => shown.push(event)), ...shown.end()];
}
