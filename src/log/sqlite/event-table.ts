import type { LoggedEvent } from '../../events/vocabulary.ts';
import { shortenBody } from '../long-content.ts';
import { ContentTable } from './content-table.ts';
import { DamagedValue, isBusy } from './errors.ts';
import { changes, command, type Connection, lowest32, toPosition, query, type Statement } from './statement.ts';
import { asBytes, asNumber, jsonIn, textIn } from './stored-text.ts';

/** Where to read: the events of one row with a seq above `after` and below `end`. */
export interface Segment {
  readonly threadId: string;
  readonly key: number;
  readonly after: number;
  readonly end: number;
}

/** How many events are read at once before it is known how long they are. */
const firstCount = 4;
const mostCount = 1024;
/** How many bytes are best read at once. */
const bestBytes = 128 * 1024;

/** How many long texts are released at once. */
const contentsAtOnce = 16;

/** Events in one of their forms, and how many bytes they have in the file. */
interface Found<Item> {
  readonly items: readonly Item[];
  readonly bytes: number;
}

/** Events that were read, until there are enough of them. */
export class EventPage<Item> {
  readonly items: Item[] = [];
  readonly #limit: number;
  #bytesLeft: number;

  constructor(limit: number, maxBytes: number) {
    this.#limit = limit;
    this.#bytesLeft = maxBytes;
  }

  /** How many more events fit, as far as is known. */
  get left(): number {
    return this.#bytesLeft > 0 ? this.#limit - this.items.length : 0;
  }

  get bytesLeft(): number {
    return this.#bytesLeft;
  }

  add({ items, bytes }: Found<Item>): void {
    for (const item of items) this.items.push(item);
    this.#bytesLeft -= bytes;
  }
}

/** The events of a file, whose long texts are stored once, and the keys they were appended under. */
export class EventTable {
  readonly #contents: ContentTable;
  readonly #insertOne;
  readonly #insertAll;
  readonly #readJoined;
  readonly #readLines;
  readonly #sizes;
  readonly #readNext;
  readonly #deleteAfter;
  readonly #once;
  readonly #onceKeys;
  readonly #insertOnce;
  readonly #deleteOnce;

  constructor(db: Connection) {
    this.#contents = new ContentTable(db);
    const at = toPosition('?1', '?2');
    this.#insertOne = command(db, `INSERT INTO events (position, body) VALUES (${at}, ?3)`);
    this.#insertAll = command(
      db,
      `INSERT INTO events (position, body) SELECT ${toPosition('?1', '(?2 + key)')}, value FROM json_each(?3)`,
    );
    const inRange = `position > ${at} AND position < ${toPosition('?1', '?3')} ORDER BY position`;
    this.#readJoined = query(
      db,
      `SELECT ${asBytes('group_concat(body)')} FROM (SELECT body FROM events WHERE ${inRange} LIMIT ?4)`,
    );
    this.#readLines = query(
      db,
      `SELECT ${asBytes('group_concat(body, char(10))')}, ${asNumber('sum(json_valid(body))')} FROM (SELECT body FROM events WHERE ${inRange} LIMIT ?4)`,
    );
    this.#sizes = query(
      db,
      `SELECT count(*), ${asNumber('sum(octet_length(body))')} FROM (SELECT body FROM events WHERE ${inRange} LIMIT ?4)`,
    );
    this.#readNext = query(
      db,
      `SELECT position & ${lowest32}, ${asBytes('body')} FROM events WHERE ${inRange} LIMIT 1`,
    );
    const last = `SELECT position FROM events WHERE position > ${at} AND position <= ${toPosition('?1', String(lowest32))} ORDER BY position DESC LIMIT ?3`;
    this.#deleteAfter = command(db, `DELETE FROM events WHERE position IN (${last})`);
    this.#once = query(db, `SELECT ${asNumber('seq')} FROM once WHERE thread = ? AND key = ?`);
    this.#onceKeys = query(db, `SELECT key, ${asNumber('seq')} FROM once WHERE thread = ? ORDER BY seq, key`);
    this.#insertOnce = command(db, 'INSERT INTO once (thread, key, seq) VALUES (?, ?, ?)');
    this.#deleteOnce = command(db, 'DELETE FROM once WHERE thread = ?');
  }

  /** Inserts the stored texts of events with seq `firstSeq` and on; a larger batch goes to SQLite in one call. */
  insert(thread: number, firstSeq: number, texts: readonly string[]): void {
    const bodies = texts.map((text, index) => {
      const short = shortenBody(text);
      if (short !== undefined) this.#contents.add(thread, firstSeq + index, short.contents);
      return short?.body ?? text;
    });
    if (bodies.length > 4) this.#insertAll.run(thread, firstSeq, JSON.stringify(bodies));
    else for (const [at, body] of bodies.entries()) this.#insertOne.run(thread, firstSeq + at, body);
  }

  /** Adds the events of a segment until the page is full; one that is damaged or missing is named by the error. */
  read(segment: Segment, page: EventPage<LoggedEvent>): void {
    this.#readPage(segment, page, (some, count) => this.#readSome(some, count));
  }

  /** The same as the texts they are stored as, which are not parsed here. */
  readTexts(segment: Segment, page: EventPage<string>): void {
    this.#readPage(segment, page, (some, count) => this.#readSomeTexts(some, count));
  }

  #readPage<Item>(
    { threadId, key, after, end }: Segment,
    page: EventPage<Item>,
    readSome: (segment: Segment, count: number) => Found<Item>,
  ): void {
    let count = firstCount;
    for (let at = after; page.left > 0; ) {
      const segment = { threadId, key, after: at, end: Math.min(end, lowest32) };
      const wanted = this.#fitting(segment, Math.min(count, page.left), Math.min(bestBytes, page.bytesLeft));
      const found = readSome(segment, wanted);
      page.add(found);
      if (found.items.length < wanted) return;
      at += wanted;
      count = mostCount;
    }
  }

  /** How many events have about this many bytes together, at least one; of a few only long texts are counted. */
  #fitting(segment: Segment, count: number, bytes: number): number {
    if (count <= firstCount) return this.#longBytes(segment, count) > bytes ? 1 : count;
    const { found, total } = this.#readSize(segment, count);
    if (total <= bytes) return count;
    return this.#fitting(segment, Math.max(1, Math.floor((found * bytes) / total)), bytes * 2);
  }

  /** Where the file is damaged this is large: reading one event after the other finds which it is. */
  #readSize({ key, after, end }: Segment, count: number): { found: number; total: number } {
    try {
      const [found, total] = this.#sizes.get(key, Math.min(after, lowest32), end, count) as [number, number | null];
      return { found, total: (total ?? 0) + this.#longBytes({ key, after, end }, count) };
    } catch (error) {
      if (isBusy(error)) throw error;
      return { found: 1, total: Number.POSITIVE_INFINITY };
    }
  }

  /** How many bytes the first events of a row after a seq have, long texts included. */
  lengthAfter(key: number, after: number, count: number): number {
    return this.#readSize({ threadId: '', key, after, end: lowest32 }, count).total;
  }

  #longBytes({ key, after, end }: Pick<Segment, 'key' | 'after' | 'end'>, count: number): number {
    return this.#contents.bytesBetween(key, Math.min(after, lowest32), Math.min(end, after + count + 1));
  }

  /** Many texts come as one list: reading and parsing each alone takes longer. */
  #readSome(segment: Segment, count: number): Found<LoggedEvent> {
    const [bytes] = this.#joined(this.#readJoined, segment, count);
    if (bytes === null) return { items: [], bytes: 0 };
    const text = this.#contents.wholeIn(bytes) ?? '';
    const list = jsonIn(`[${text}]`);
    const isWhole = Array.isArray(list) && list.every((event, index) => isEvent(event, segment.after + 1 + index));
    const items = isWhole && list.length > 0 ? list : this.#readEach(segment, count).map(({ event }) => event);
    return { items, bytes: Math.max(bytes?.byteLength ?? 1, text.length) };
  }

  /** No stored text has a line feed. */
  #readSomeTexts(segment: Segment, count: number): Found<string> {
    const [bytes, valid] = this.#joined(this.#readLines, segment, count);
    if (bytes === null) return { items: [], bytes: 0 };
    const lines = textIn(bytes)?.split('\n') ?? [];
    const isWhole = valid === lines.length && lines.every((line, index) => hasSeq(line, segment.after + 1 + index));
    if (isWhole) return { items: lines, bytes: bytes?.byteLength ?? 1 };
    const items = this.#readEach(segment, count).map(({ text }) => text);
    return { items, bytes: items.reduce((sum, text) => sum + text.length, 1) };
  }

  /** Undefined when the file is damaged, or the events are too long to be read as one. */
  #joined(
    statement: Statement,
    { key, after, end }: Segment,
    count: number,
  ): [bytes: Uint8Array | null | undefined, valid?: number | null] {
    try {
      return statement.get(key, Math.min(after, lowest32), end, count) as [Uint8Array | null, number | null];
    } catch (error) {
      if (isBusy(error)) throw error;
      return [undefined];
    }
  }

  #readEach({ threadId, key, after, end }: Segment, count: number): { event: LoggedEvent; text: string }[] {
    const events: { event: LoggedEvent; text: string }[] = [];
    while (events.length < count) {
      const seq = after + events.length + 1;
      const row = this.#next({ threadId, key, after: seq - 1, end });
      if (row === undefined) break;
      const text = row[0] === seq ? this.#contents.wholeIn(row[1]) : undefined;
      const event = jsonIn(text);
      if (text === undefined || !isEvent(event, seq)) throw damagedEvent(threadId, seq);
      events.push({ event, text });
    }
    return events;
  }

  #next({ threadId, key, after, end }: Segment): [number, unknown] | undefined {
    try {
      return this.#readNext.get(key, Math.min(after, lowest32), end) as [number, unknown] | undefined;
    } catch (error) {
      throw isBusy(error) ? error : damagedEvent(threadId, after + 1, error);
    }
  }

  /** Removes at most `most` events of a row after a seq; returns whether all are removed. */
  deleteSome(thread: number, after: number, most: number): boolean {
    if (!this.#contents.releaseSome(thread, after, contentsAtOnce)) return false;
    return changes(this.#deleteAfter.run(thread, after, most)) < most;
  }

  /** The once keys of a row, in order of seq. */
  onceKeys(thread: number): { readonly key: string; readonly seq: number }[] {
    return (this.#onceKeys.all(thread) as [string, number][]).map(([key, seq]) => ({ key, seq }));
  }

  once(thread: number, key: string): number | undefined {
    return (this.#once.get(thread, key) as [number] | undefined)?.[0];
  }

  insertOnce(thread: number, key: string, seq: number): void {
    this.#insertOnce.run(thread, key, seq);
  }

  deleteOnce(thread: number): void {
    this.#deleteOnce.run(thread);
  }
}

/** Checks only the seq and the presence of a type: events were validated when they were stored. */
function isEvent(value: unknown, seq: number): value is LoggedEvent {
  const { seq: stored, type } = (value ?? {}) as Partial<LoggedEvent>;
  return stored === seq && typeof type === 'string';
}

/** The same for a text that is JSON. */
function hasSeq(text: string, seq: number): boolean {
  const isInPlace = text.includes(`"seq":${seq},`) || text.includes(`"seq":${seq}}`);
  return isInPlace && text.startsWith('{') && text.includes('"type":"');
}

function damagedEvent(threadId: string, seq: number, cause?: unknown): DamagedValue {
  return new DamagedValue(`event ${seq} of the thread "${threadId}"`, { threadId, seq }, cause);
}
