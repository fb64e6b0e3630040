import type { EventLog } from '../../log/event-log.ts';

/** How many raw lines are read at once: they may be long. */
const page = 16;

/** Yields the raw lines of a run. */
export async function* storedLines(log: EventLog, threadId: string, runId: string): AsyncGenerator<Uint8Array> {
  for (let after = 0; ; after += page) {
    const lines = await log.readRaw(threadId, runId, { after, limit: page });
    for (const { line } of lines) yield line;
    if (lines.length < page) return;
  }
}

/** Returns how many raw lines a run has. */
export async function countStoredLines(log: EventLog, threadId: string, runId: string): Promise<number> {
  let count = 0;
  for await (const _ of storedLines(log, threadId, runId)) count++;
  return count;
}

/** Copies the first raw lines of a run to another thread. */
export async function copyStoredLines(
  log: EventLog,
  {
    from,
    to,
    runId,
    count,
  }: { readonly from: string; readonly to: string; readonly runId: string; readonly count: number },
): Promise<void> {
  for (let after = 0; after < count; after += page) {
    const lines = await log.readRaw(from, runId, { after, limit: Math.min(page, count - after) });
    if (lines.length === 0) return;
    await log.appendRaw(to, runId, lines);
  }
}
