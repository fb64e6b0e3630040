import type { EventLog } from '../../log/index.ts';

/** Indexes everything a log has not indexed yet, and reports how far it is when that takes more than a moment. */
export async function indexLog(log: EventLog, report: (line: string) => void): Promise<void> {
  if (log.indexSome === undefined) return;
  let reported: number | undefined;
  for (let rest = await log.indexSome(); rest.hasMore; rest = await log.indexSome()) {
    if (rest.threads !== reported)
      report(`singletree: indexing messages: ${rest.threads} ${rest.threads === 1 ? 'thread' : 'threads'} left\n`);
    reported = rest.threads;
  }
}
