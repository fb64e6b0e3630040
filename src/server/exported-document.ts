import type { Redactor } from '../agents/redaction/redactor.ts';
import { defined } from '../base/defined.ts';
import type { LoggedEvent } from '../events/vocabulary.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { EventLog, Thread } from '../log/event-log.ts';
import { readEvents } from '../log/read-events.ts';
import type { DocumentFormat } from '../protocols/documents/thread-document.ts';
import { eventsWithoutSecrets } from '../agents/redaction/redacted-events.ts';

/** Longer threads would hold up everybody else while their document is made. */
const mostEvents = 50_000;

/** Returns a thread as a document, without secrets; throws `thread_too_large` for a thread that is too long for it. */
export async function exportedDocument(
  { log, redactor, version }: { readonly log: EventLog; readonly redactor: Redactor; readonly version: string },
  { id, title, seq, branchedFrom }: Thread,
  format: DocumentFormat,
): Promise<string> {
  if (seq > mostEvents)
    throw new SingletreeError(
      'thread_too_large',
      `The thread has ${seq} events, and a server makes documents of at most ${mostEvents}. Use "singletree export ${id} --format ${format}" on its machine, or download the events.`,
    );
  const events: LoggedEvent[] = [];
  for await (const event of eventsWithoutSecrets(readEvents(log, id), redactor)) events.push(event);
  const { writeDocument } = await import('../protocols/documents/write-document.ts');
  const shown = defined({ title: title && redactor.text(title), branchedFrom });
  return writeDocument(format, { threadId: id, ...shown, events, version });
}
