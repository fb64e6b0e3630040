import { RedactedEvents } from '../agents/redaction/redacted-events.ts';
import type { Redactor } from '../agents/redaction/redactor.ts';
import { type EventLog, readWindow, type ThreadWindow, type WindowRequest } from '../log/index.ts';

/** Reads a window of a thread without the secrets that are split over fragments of one text. */
export async function readRedactedWindow(
  { log, redactor }: { readonly log: EventLog; readonly redactor: Redactor },
  threadId: string,
  request: WindowRequest,
): Promise<ThreadWindow> {
  const window = await readWindow(log, threadId, request);
  const shown = new RedactedEvents(redactor);
  const { firstSeq, events } = window;
  const after = Math.max(0, firstSeq - 1 - shown.lookBehind);
  if (after < firstSeq - 1) shown.prime(await log.read(threadId, { after, before: firstSeq }));
  return { ...window, events: [...events.flatMap(event => shown.push(event)), ...shown.end()] };
}
