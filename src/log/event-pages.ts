import * as z from 'zod';
import { defined } from '../base/defined.ts';
import type { EventPage, EventQuery, ThreadEvent } from '../events/event-query.ts';
import { getDefinition, type LoggedEvent } from '../events/vocabulary.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { optionsCheck } from '../base/options/check-options.ts';
import { field, name } from '../base/options/option-fields.ts';
import type { EventLog, ReadRange, Thread } from './event-log.ts';
import { pageBytes } from './event-size.ts';
import { isEarlier } from './event-time.ts';
import { nextInListing } from './threads.ts';

const listSize = 200;
const readSize = 500;
const mostScanned = 5_000;
const mostEvents = 1_000;
/** The longest expected delay between the time of an event and its append; readings overlap by it. */
const overlapMs = 5_000;

/** Where a thread stood in the listing. */
type Listed = readonly [updatedAt: string, id: string];

/** How far a reading has come. A pass lists threads, the newest first, down to its `floor`. */
interface Place {
  readonly until: string;
  readonly floor: Listed;
  /** The first thread that the pass listed: what changes after that is listed before it. */
  readonly top?: Listed;
  /** The listed thread that was read last. */
  readonly listed?: Listed;
  /** The event of it that was read last, when it has more. */
  readonly seq?: number;
}

const storedListed = z.tuple([z.string(), z.string()]);
const storedPlace = z.strictObject({
  until: z.string(),
  floor: storedListed,
  top: storedListed.optional(),
  listed: storedListed.optional(),
  seq: z.int().min(0).optional(),
});
const isTime = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isTypeList = (value: unknown) =>
  Array.isArray(value) && value.every(type => typeof type === 'string' && getDefinition(type) !== undefined);
const isLimit = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= mostEvents;

const checkQuery = optionsCheck<EventQuery>('readEventPage')(() => ({
  types: field(isTypeList, 'a list of types of events').optional(),
  since: field(isTime, 'a time such as "2026-01-31T12:00:00Z"').optional(),
  resourceId: name().optional(),
  limit: field(isLimit, `a whole number from 1 to ${mostEvents}`).optional(),
  cursor: name().optional(),
}));

/** Reads events of a thread, as `EventLog.read` does. */
type ReadPart = (threadId: string, range: ReadRange) => Promise<readonly LoggedEvent[]>;

/**
 * Reads a page of the events of all threads: thread by thread, in order of seq within one; events that a branch shares are
 * those of the thread they were appended to. Every event that is stored when the first page is read is on one of the pages;
 * one of a thread that changes meanwhile may be on two. Throws `invalid_argument` for an invalid query.
 */
export async function readEventPage(
  log: EventLog,
  query: EventQuery = {},
  readPart: ReadPart = (threadId, range) => log.read(threadId, range),
): Promise<EventPage> {
  checkQuery(query);
  const { resourceId, limit = 500, types } = query;
  const since = query.since === undefined ? '' : new Date(query.since).toISOString();
  const events: ThreadEvent[] = [];
  let scanned = 0;
  let place = query.cursor === undefined ? firstPlace(log, since) : decodePlace(query.cursor);
  const { until } = place;
  const isFull = () => events.length >= limit || scanned >= mostScanned;
  const toPage = (next?: Place): EventPage => ({ events, until, ...(next && { next: encodePlace(next) }) });

  /** Reads a thread after an event; returns the last event that was read when the page is full before its end. */
  async function readThread(thread: Thread, start: number): Promise<number | undefined> {
    for (let after = start; after < thread.seq; ) {
      if (isFull()) return after;
      const part = await readPart(thread.id, { after, limit: readSize, maxBytes: pageBytes });
      if (part.length === 0) return undefined;
      // A part that ends early is as large as a part may be: two of them fill a page.
      const last = part.at(-1)?.seq ?? after;
      if (part.length < readSize && last < thread.seq) scanned += mostScanned / 2;
      for (const event of part) {
        if (events.length >= limit) return after;
        after = event.seq;
        scanned++;
        if (isEarlier(event.ts, since) || types?.includes(event.type) === false) continue;
        events.push({ threadId: thread.id, resourceId: thread.resourceId, event });
      }
    }
    return undefined;
  }

  /** Whether the pass began in this call and listed its threads at once: no thread moved while it was listed. */
  let isAtOnce = query.cursor === undefined;
  if (place.seq !== undefined && place.listed !== undefined) {
    const thread = await log.getThread(place.listed[1]);
    const seq = thread && (await readThread(thread, place.seq));
    if (seq !== undefined) return toPage({ ...place, seq });
  }
  for (;;) {
    const after = place.listed && toThread(place.listed);
    const now = currentTime(log);
    const listed = await log.listThreads({ limit: listSize, ...defined({ resourceId, after }) });
    const [first] = listed;
    if (after === undefined && first !== undefined) place = { ...place, top: toTop(first, now) };
    const { floor, top } = place;
    const changed = listed.filter(thread => nextInListing(thread, toThread(floor)) < 0);
    for (const thread of changed) {
      place = { until, floor, ...defined({ top }), listed: [thread.updatedAt, thread.id] };
      const seq = await readThread(thread, await findStart(log, thread, since));
      if (seq !== undefined) return toPage({ ...place, seq });
    }
    if (changed.length === listSize) {
      isAtOnce = false;
      if (isFull()) return toPage(place);
      continue;
    }
    if (isAtOnce) return toPage();
    // A thread that changed meanwhile has moved to the front of the listing, past the place of the reading.
    place = { until, floor: top ?? floor };
    if (isFull()) return toPage(place);
    isAtOnce = true;
  }
}

/** Returns the seq before the first event that is not earlier than `since`; the times of a thread's own events rise. */
export async function findStart(log: EventLog, thread: Thread, since: string): Promise<number> {
  let low = thread.branchedFrom?.seq ?? 0;
  if (since === '' || (thread.importedSeq ?? 0) > low) return low;
  for (let high = thread.seq; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    const [event] = await log.read(thread.id, { after: middle, limit: 1 });
    if (event !== undefined && isEarlier(event.ts, since)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstPlace(log: EventLog, since: string): Place {
  // A thread may be listed with a time that is slightly before that of its newest event.
  const floor = since === '' ? '' : subtract(since, 1_000);
  return { until: subtract(currentTime(log), overlapMs), floor: [floor, ''] };
}

/** A thread that changes in the same millisecond may be listed after this one. */
function toTop({ updatedAt, id }: Thread, now: string): Listed {
  return [updatedAt, isEarlier(updatedAt, now) ? id : ''];
}

function currentTime(log: EventLog): string {
  return new Date(log.now?.() ?? Date.now()).toISOString();
}

function subtract(time: string, ms: number): string {
  return new Date(Date.parse(time) - ms).toISOString();
}

function toThread([updatedAt, id]: Listed): Thread {
  return { id, updatedAt, createdAt: updatedAt, resourceId: '', metadata: {}, seq: 0 };
}

function encodePlace(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function decodePlace(cursor: string): Place {
  try {
    return defined(storedPlace.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString())));
  } catch (cause) {
    throw new SingletreeError('invalid_argument', 'The cursor is not valid: expected the `next` of a page.', { cause });
  }
}
