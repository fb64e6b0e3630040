import type { Redactor } from '../agents/redaction/redactor.ts';
import type { EventLog } from '../log/index.ts';
import { nextTurn } from '../log/next-turn.ts';
import { RedactedTexts } from './security/redacted-texts.ts';

/** How much is read and sent before others get their turn. */
const page = { limit: 500, maxBytes: 256 * 1024 };
const utf8 = new TextEncoder();

/**
 * Streams the stored texts of a thread's events, without secrets, one on each line; a page is read when the reader has
 * room for it.
 */
export function exportedLines(log: EventLog, redactor: Redactor, threadId: string): ReadableStream<Uint8Array> {
  const texts = new RedactedTexts(redactor);
  let after = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let isSent = false; !isSent; ) {
        await nextTurn();
        const stored = await log.readTexts(threadId, { after, ...page });
        const shown = stored.length === 0 ? texts.end() : stored.flatMap(text => texts.push({ seq: ++after, text }));
        if (shown.length > 0) controller.enqueue(utf8.encode(shown.map(({ text }) => `${text}\n`).join('')));
        if (stored.length === 0) controller.close();
        // What is held back comes with what follows.
        isSent = shown.length > 0 || stored.length === 0;
      }
    },
  });
}
