import type { LoggedEvent } from '../events/vocabulary.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { optionsCheck } from '../base/options/check-options.ts';
import { field, name } from '../base/options/option-fields.ts';
import { type OutlineSnapshot, unknownOutline } from '../events/outline/outline-snapshot.ts';
import { ThreadOutline } from '../events/outline/thread-outline.ts';
import { seqOfMessage } from './derived/log-queries.ts';
import { outlineEvents } from './derived/outline-places.ts';
import { threadNotFound } from './checks.ts';
import type { EventLog } from './event-log.ts';

/** The part of a thread to read; its end when no field is set. */
export interface WindowRequest {
  /** The events up to this seq, it excluded. */
  readonly before?: number;
  /** The events from this seq on, it excluded. */
  readonly after?: number;
  /** The events before and after this seq, it included. */
  readonly around?: number;
  /** The events around the beginning of this message. */
  readonly message?: string;
  /** About how many events, 1 to 5,000; 500 when absent. */
  readonly limit?: number;
}

/** A part of a thread that can be read by itself. */
export interface ThreadWindow {
  /** The snapshot to begin reading the events with; absent when they begin with the first event of the thread. */
  readonly snapshot?: OutlineSnapshot;
  readonly events: LoggedEvent[];
  /** The seq of its first event and of its last; the last is one less when it has no events. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

/** How many bytes of events a window has at most, unless one event alone is longer. */
const mostBytes = 4 * 1024 * 1024;
/** How many events earlier a window begins to have the beginning of what is open there. */
const mostReach = 2_000;

/** How many events after a stored outline are read, and in how many pages. */
const mostBehind = 8 * outlineEvents;
const mostPages = 4;

const seq = () => field(value => Number.isSafeInteger(value) && (value as number) >= 0, 'a seq');
const checkRequest = optionsCheck<WindowRequest>('readWindow')(() => ({
  before: seq().optional(),
  after: seq().optional(),
  around: seq().optional(),
  message: name().optional(),
  limit: field(
    value => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 5_000,
    '1 to 5000',
  ).optional(),
}));

/**
 * Reads a window of a thread: how many events that takes does not depend on the length of the thread. It begins where
 * the snapshot ends: a reading of both shows the messages of the window as a reading of the whole thread does.
 */
export async function readWindow(log: EventLog, threadId: string, request: WindowRequest = {}): Promise<ThreadWindow> {
  checkRequest(request);
  const { before, after, around, message, limit = 500 } = request;
  if ([before, after, around, message].filter(each => each !== undefined).length > 1)
    throw new SingletreeError('invalid_argument', 'A window takes one of `before`, `after`, `around` and `message`.');
  const thread = await log.getThread(threadId);
  if (thread === undefined) throw threadNotFound(threadId);
  const middle = message === undefined ? around : await messageSeq(log, threadId, message);
  const end = findEnd({ before, after, middle }, limit, thread.seq);
  const outline =
    after === undefined
      ? await outlineBefore(log, threadId, end, limit)
      : await outlineTo(log, threadId, Math.min(after, thread.seq));
  const events = await readAll(log, threadId, outline.seq, end + 1);
  const lastSeq = events.at(-1)?.seq ?? outline.seq;
  return {
    ...(outline.seq > 0 && { snapshot: outline.snapshot() }),
    events,
    firstSeq: outline.seq + 1,
    lastSeq,
    hasEarlier: outline.seq > 0,
    hasLater: lastSeq < thread.seq,
  };
}

async function messageSeq(log: EventLog, threadId: string, messageId: string): Promise<number> {
  const found = await seqOfMessage(log, threadId, messageId);
  if (found !== undefined) return found;
  throw new SingletreeError('not_found', `The thread "${threadId}" has no message "${messageId}".`, {
    details: { threadId, messageId },
  });
}

/** The last seq of a window. */
function findEnd(
  { before, after, middle }: { before: number | undefined; after: number | undefined; middle: number | undefined },
  limit: number,
  newest: number,
): number {
  if (before !== undefined) return Math.min(Math.max(before - 1, 0), newest);
  if (after !== undefined) return Math.min(after + limit, newest);
  return middle === undefined ? newest : Math.min(middle + Math.ceil(limit / 2), newest);
}

/** The outline where a window that ends at a seq begins: about `limit` events earlier, where nothing is half written. */
async function outlineBefore(log: EventLog, threadId: string, end: number, limit: number): Promise<ThreadOutline> {
  const count = await fittingCount(log, threadId, end, limit);
  let outline = await outlineTo(log, threadId, Math.max(0, end - count));
  for (let tries = 0; tries < 3; tries++) {
    const begun = beginningOfOpen(outline.snapshot(), end - count - mostReach);
    if (begun === undefined) break;
    outline = await outlineTo(log, threadId, begun - 1);
  }
  return outline;
}

/** The seq of the first text or call that is open, not earlier than a bound. */
function beginningOfOpen({ events }: OutlineSnapshot, least: number): number | undefined {
  const open = events.flatMap(({ type, seq: at = 0 }) => (growing.has(type) && at > least ? [at] : []));
  return open.length === 0 ? undefined : Math.min(...open);
}

const growing: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_input_delta', 'tool_call', 'repl_input']);

/** How many of the events up to a seq fit into a window. */
async function fittingCount(log: EventLog, threadId: string, end: number, limit: number): Promise<number> {
  for (let count = Math.min(limit, end); count > 1; count = Math.floor(count / 2)) {
    const range = { after: end - count, before: end + 1, limit: count, maxBytes: mostBytes };
    const texts = await log.readTexts(threadId, range);
    if (texts.length === count) return count;
  }
  return Math.min(1, end);
}

/**
 * The outline of a thread up to a seq. It reads a bounded amount: where the stored outlines are far behind, it is that of
 * the events shortly before, without what began earlier. Only a store that keeps no outlines is read from the beginning.
 */
export async function outlineTo(log: EventLog, threadId: string, seq: number): Promise<ThreadOutline> {
  if (log.outlineAt === undefined) return takeTo(log, threadId, new ThreadOutline(), seq);
  const outline = new ThreadOutline(seq === 0 ? undefined : await log.outlineAt(threadId, seq));
  if (seq - outline.seq <= mostBehind) await takeTo(log, threadId, outline, seq, mostPages);
  if (outline.seq === seq) return outline;
  const count = await fittingCount(log, threadId, seq, outlineEvents);
  return takeTo(log, threadId, new ThreadOutline(unknownOutline(seq - count)), seq);
}

/** Applies the events of a thread up to a seq to the outline, at most `pages` pages. */
async function takeTo(
  log: EventLog,
  threadId: string,
  outline: ThreadOutline,
  seq: number,
  pages: number = Number.MAX_SAFE_INTEGER,
): Promise<ThreadOutline> {
  for (let page = 0; page < pages && outline.seq < seq; page++) {
    const events = await log.read(threadId, { after: outline.seq, before: seq + 1, maxBytes: mostBytes });
    if (events.length === 0) break;
    for (const event of events) outline.take(event);
  }
  return outline;
}

async function readAll(log: EventLog, threadId: string, after: number, before: number): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  let bytes = 0;
  for (let at = after; at + 1 < before && bytes < 2 * mostBytes; at = events.at(-1)?.seq ?? before) {
    const page = await log.read(threadId, { after: at, before, maxBytes: mostBytes });
    if (page.length === 0) break;
    events.push(...page);
    bytes += mostBytes;
  }
  return events;
}
