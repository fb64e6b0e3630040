import { redactPart } from '../agents/redaction/read-redacted.ts';
import type { Redactor } from '../agents/redaction/redactor.ts';
import type { EventLog } from '../log/event-log.ts';
import { readWindow, type ThreadWindow, type WindowRequest } from '../log/window.ts';

/** Reads a window of a thread without the secrets that are split over fragments of one text. */
export async function readRedactedWindow(
  source: { readonly log: EventLog; readonly redactor: Redactor },
  threadId: string,
  request: WindowRequest,
): Promise<ThreadWindow> {
  const window = await readWindow(source.log, threadId, request);
  return { ...window, events: await redactPart(source, threadId, window) };
}
