import type { EventLog, Thread } from '../log/event-log.ts';
import { inheritedSeq, isOwnEvent } from '../log/own-events.ts';
import { nextTurn } from '../log/next-turn.ts';

/** How much is read before others get their turn. */
const page = { limit: 500, maxBytes: 256 * 1024 };

/** Returns the ids of the runs that began in a thread: not those of events that it imported or shares with another thread. */
export async function runIdsOf(log: EventLog, thread: Thread): Promise<string[]> {
  const runIds = new Set<string>();
  for (let after = inheritedSeq(thread); ; ) {
    const texts = await log.readTexts(thread.id, { after, ...page });
    if (texts.length === 0) return [...runIds];
    for (const text of texts) {
      after++;
      // Nearly no event is one: the others need not be parsed.
      if (!text.includes('"harness_start"') || !isOwnEvent(thread, after)) continue;
      const event = JSON.parse(text) as { readonly type: string; readonly runId: string };
      if (event.type === 'harness_start') runIds.add(event.runId);
    }
    await nextTurn();
  }
}
