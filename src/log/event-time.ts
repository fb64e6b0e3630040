import type { EventLog } from './event-log.ts';

/** The length of a time as the log writes it: two such texts compare as their times do. */
const writtenLength = '2025-01-01T00:00:00.000Z'.length;

let lastMs = Number.NaN;
let lastText = '';

/** The text of a time as the log writes it. Events of the same millisecond share it: making it takes long. */
export function timeText(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

/** Whether a time is before another one; false when one of them is not a time. */
export function isEarlier(ts: string, other: string): boolean {
  if (ts === other) return false;
  if (isWritten(ts) && isWritten(other)) return ts < other;
  return Date.parse(ts) < Date.parse(other);
}

function isWritten(ts: string): boolean {
  return ts.length === writtenLength && ts.endsWith('Z');
}

/**
 * Gives events that are appended together their times: `now` where absent, and never an earlier one than the event before
 * has; `newestTs` is the time of the thread's newest event.
 */
export function setTimes(
  events: readonly { ts?: string | undefined }[],
  now: string,
  newestTs: string | undefined,
): void {
  let last = newestTs;
  for (const event of events) {
    event.ts ||= now;
    if (last !== undefined && isEarlier(event.ts, last)) event.ts = last;
    else last = event.ts;
  }
}

/** The text of a time that was reported elsewhere, or of `now` when it is later or is no time. */
export function pastTimeText(ts: string | undefined, now: number): string {
  const time = Date.parse(ts ?? '');
  return timeText(time <= now ? time : now);
}

/** The time to which imported events move a thread: that of the last one, unless it has a later one or it is in the future. */
export function importedTimeText(last: string | undefined, updated: string, now: number): string {
  const moved = last === undefined ? updated : pastTimeText(last, now);
  return isEarlier(updated, moved) ? moved : updated;
}

/** Returns the time on the clock of a log, in milliseconds: the time that an event appended now would get. */
export function currentTime(log: Pick<EventLog, 'now'>): number {
  return log.now?.() ?? Date.now();
}
