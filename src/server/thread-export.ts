import type { Redactor } from '../agents/redaction/redactor.ts';
import type { EventLog, Thread } from '../log/event-log.ts';
import { nextTurn } from '../log/next-turn.ts';
import { RedactedTexts } from './security/redacted-texts.ts';
import { defined } from '../base/defined.ts';
import type { LoggedEvent } from '../events/vocabulary.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { readEvents } from '../log/read-events.ts';
import type { DocumentFormat } from '../protocols/documents/thread-document.ts';
import { eventsWithoutSecrets } from '../agents/redaction/redacted-events.ts';

/** The target time for reading and sending a page, from which the page size is adapted. */
const turnMs = 1;
const fewestEvents = 16;
const mostEvents = 512;
const maxBytes = 256 * 1024;
const utf8 = new TextEncoder();

/**
 * Streams the stored texts of a thread's events, without secrets, one on each line; a page is read when the reader has
 * room for it.
 */
export function exportedLines(log: EventLog, redactor: Redactor, threadId: string): ReadableStream<Uint8Array> {
  const texts = new RedactedTexts(redactor);
  let after = 0;
  let limit = fewestEvents;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let isSent = false; !isSent; ) {
        await nextTurn();
        const beganAt = performance.now();
        const reading = log.readTexts(threadId, { after, limit, maxBytes });
        // An in-process store has finished reading here; waiting for a remote store does not block the process.
        const readMs = performance.now() - beganAt;
        const stored = await reading;
        const readAt = performance.now();
        const shown = stored.length === 0 ? texts.end() : stored.flatMap(text => texts.push({ seq: ++after, text }));
        if (shown.length > 0) controller.enqueue(utf8.encode(shown.map(({ text }) => `${text}\n`).join('')));
        if (stored.length === 0) controller.close();
        // The redactor may hold back texts until it has seen the next ones.
        isSent = shown.length > 0 || stored.length === 0;
        const ms = readMs + performance.now() - readAt;
        if (ms > turnMs) limit = Math.max(fewestEvents, limit / 2);
        else if (ms < turnMs / 3) limit = Math.min(mostEvents, limit * 2);
      }
    },
  });
}

/** Creating documents of longer threads would block other requests. */
const mostDocumentEvents = 50_000;

/** Returns a thread as a document, without secrets; throws `thread_too_large` for a thread that is too long for it. */
export async function exportedDocument(
  { log, redactor, version }: { readonly log: EventLog; readonly redactor: Redactor; readonly version: string },
  { id, title, seq, branchedFrom }: Thread,
  format: DocumentFormat,
): Promise<string> {
  if (seq > mostDocumentEvents)
    throw new SingletreeError(
      'thread_too_large',
      `The thread has ${seq} events, and a server makes documents of at most ${mostDocumentEvents}. Use "singletree export ${id} --format ${format}" on its machine, or download the events.`,
    );
  const events: LoggedEvent[] = [];
  for await (const event of eventsWithoutSecrets(readEvents(log, id), redactor)) events.push(event);
  const { writeDocument } = await import('../protocols/documents/write-document.ts');
  const shown = defined({ title: title && redactor.text(title), branchedFrom });
  return writeDocument(format, { threadId: id, ...shown, events, version });
}
