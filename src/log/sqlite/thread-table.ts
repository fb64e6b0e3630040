import { isUsableId } from '../checks.ts';
import type { Thread } from '../event-log.ts';
import type { OpenKind } from '../open-things.ts';
import { damagedThread } from './errors.ts';
import { command, type Connection, lowest32, toPosition, query, type SqlValue } from './statement.ts';
import { openColumn, toOpenThings } from './open-table.ts';
import { asBytes, asJoinedBytes, asNumber, textIn, textsIn } from './stored-text.ts';
import { parseInfo } from './stored-info.ts';
import { defined } from '../../base/defined.ts';
import type { Place, ThreadRow, KeptThread, Head } from './thread-row.ts';

/** A thread's seq is that of its newest event: an append need not write it to the thread's row as well. */
const newestPosition = `SELECT max(position) FROM events WHERE position BETWEEN ${toPosition('threads.key', '0')} AND ${toPosition('threads.key', String(lowest32))}`;
const newestSeq = asNumber(`coalesce((${newestPosition}) & ${lowest32}, fork)`);
const placeColumns = `${asNumber('key')}, ${asNumber('owner')}, ${asNumber('fork')}`;
const texts = ['id', 'resource', 'created', 'updated', 'info', openColumn];
const threadColumns = `${placeColumns}, ${newestSeq}, ${asNumber('imported')}, ${asJoinedBytes(texts)}`;

/** The threads of a file. */
export class ThreadTable {
  readonly #db: Connection;
  readonly #thread;
  readonly #head;
  readonly #info;
  readonly #place;
  readonly #placeByKey;
  readonly #kept;
  readonly #sharing;
  readonly #hidden;
  readonly #allHidden;
  readonly #lastFork;
  readonly #insert;
  readonly #setInfo;
  readonly #setImported;
  readonly #touch;
  readonly #updateInfo;
  readonly #hide;
  readonly #delete;

  constructor(db: Connection) {
    this.#db = db;
    this.#thread = query(db, `SELECT ${threadColumns} FROM threads WHERE id = ? AND hidden = 0`);
    this.#head = query(
      db,
      `SELECT ${asNumber('key')}, ${newestSeq}, ${asNumber('(SELECT token FROM leases WHERE name = ?)')}, ${asNumber('EXISTS (SELECT 1 FROM backlog WHERE thread = threads.key)')} FROM threads WHERE id = ? AND hidden = 0`,
    );
    this.#info = query(db, `SELECT ${asBytes('info')} FROM threads WHERE key = ?`);
    this.#place = query(db, `SELECT ${placeColumns} FROM threads WHERE id = ? AND hidden = 0`);
    this.#placeByKey = query(db, `SELECT ${placeColumns} FROM threads WHERE key = ?`);
    this.#kept = query(
      db,
      `SELECT ${placeColumns}, ${asNumber('imported')}, ${asNumber('hidden')}, ${asJoinedBytes([`CASE hidden WHEN 1 THEN '' ELSE id END`, 'resource', 'updated', 'info'])} FROM threads WHERE key = ?`,
    );
    this.#sharing = query(
      db,
      `WITH RECURSIVE sharing (thread) AS (
         SELECT key FROM threads WHERE owner = ?1 AND fork >= ?2
         UNION SELECT key FROM threads JOIN sharing ON owner = thread
       ) SELECT ${threadColumns} FROM threads WHERE hidden = 0 AND (key = ?1 OR key IN (SELECT thread FROM sharing)) ORDER BY key`,
    );
    this.#hidden = query(db, `SELECT ${placeColumns} FROM threads WHERE key = ? AND hidden = 1`);
    this.#allHidden = query(db, `SELECT ${asNumber('key')} FROM threads WHERE hidden = 1`);
    this.#lastFork = query(db, `SELECT ${asNumber('max(fork)')} FROM threads WHERE owner = ?`);
    this.#insert = command(
      db,
      'INSERT INTO threads (id, resource, info, created, updated, owner, fork, imported) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#setInfo = command(db, 'UPDATE threads SET info = ? WHERE key = ?');
    this.#setImported = command(db, 'UPDATE threads SET imported = ? WHERE key = ?');
    this.#touch = command(db, 'UPDATE threads SET updated = ? WHERE key = ?');
    this.#updateInfo = command(db, 'UPDATE threads SET info = ?, updated = ? WHERE key = ?');
    this.#hide = command(db, 'UPDATE threads SET hidden = 1, id = ?, info = ? WHERE key = ?');
    this.#delete = command(db, 'DELETE FROM threads WHERE key = ?');
  }

  find(id: string): ThreadRow | undefined {
    const row = isUsableId(id) ? this.#thread.get(id) : undefined;
    return row === undefined ? undefined : toRow(row, id);
  }

  /** Returns the state of a thread that an append needs, with the newest token of a lease. */
  head(id: string, leaseName = ''): Head | undefined {
    if (!isUsableId(id)) return undefined;
    const row = this.#head.get(leaseName, id) as [number, number, number | null, number] | undefined;
    return row && { key: row[0], seq: row[1], token: row[2] ?? undefined, isMarked: row[3] === 1 };
  }

  /** Returns the title, metadata and branch point of a thread as stored JSON. */
  info(key: number, id: string): string {
    const [bytes] = (this.#info.get(key) as [unknown] | undefined) ?? [];
    const text = textIn(bytes);
    if (text === undefined) throw damagedThread(id);
    return text;
  }

  /** Where the events of a thread are. */
  place(id: string): Place | undefined {
    return isUsableId(id) ? toPlace(this.#place.get(id)) : undefined;
  }

  /** The row that holds the events before a thread's fork. */
  owner({ owner }: Place): Place | undefined {
    return owner === null ? undefined : this.findPlace(owner);
  }

  findPlace(key: number): Place | undefined {
    return toPlace(this.#placeByKey.get(key));
  }

  /** A thread that may be deleted. */
  kept(key: number): KeptThread | undefined {
    const row = this.#kept.get(key) as [number, number | null, number, number | null, number, unknown];
    if (row === undefined) return undefined;
    const [, owner, fork, imported, hidden, bytes] = row;
    const [id = '', resource = '', updated = '', info = ''] = textsIn(bytes, 4) ?? [];
    const { title } = parseInfo(`with the key ${key}`, info);
    return { key, owner, fork, imported, isHidden: hidden === 1, id, resource, updated, title };
  }

  /** The threads that show an event of a row: its own, or when that is deleted the branches that share the event. */
  showing(key: number, seq: number): ThreadRow[] {
    const rows = this.#sharing.all(key, seq).map(row => toRow(row));
    const own = rows.find(row => row.key === key);
    return own === undefined ? rows : [own];
  }

  /** A deleted thread of which not everything was removed. */
  hidden(key: number): Place | undefined {
    return toPlace(this.#hidden.get(key));
  }

  allHidden(): number[] {
    return (this.#allHidden.all() as [number][]).map(([key]) => key);
  }

  /** The last event of a thread that a branch refers to; undefined when it has no branches. */
  lastFork(key: number): number | undefined {
    return (this.#lastFork.get(key) as [number | null] | undefined)?.[0] ?? undefined;
  }

  insert(thread: Omit<ThreadRow, 'key' | 'seq' | 'open'>): void {
    const { id, resource, info, created, updated, owner, fork, imported } = thread;
    this.#insert.run(id, resource, info, created, updated, owner, fork, imported);
  }

  /** Moves a thread to the top of the listing. */
  touch(key: number, updated: string): void {
    this.#touch.run(updated, key);
  }

  /** Notes how far a thread was imported. */
  setImported(key: number, seq: number): void {
    this.#setImported.run(seq, key);
  }

  setInfo(key: number, info: string): void {
    this.#setInfo.run(info, key);
  }

  updateInfo({ key, info, updated }: Pick<ThreadRow, 'key' | 'info' | 'updated'>): void {
    this.#updateInfo.run(info, updated, key);
  }

  /** Removes a thread's id, title and metadata; the control character keeps the new id apart from ids of callers. */
  hide(key: number): void {
    this.#hide.run(`\u0001${key}`, '{"metadata":{}}', key);
  }

  delete(key: number): void {
    this.#delete.run(key);
  }

  list({
    resourceId,
    after,
    open,
    limit,
  }: {
    resourceId: string | undefined;
    after: Thread | undefined;
    open: OpenKind | undefined;
    limit: number;
  }): ThreadRow[] {
    if (resourceId !== undefined && !isUsableId(resourceId)) return [];
    const conditions = ['hidden = 0'];
    const values: SqlValue[] = [];
    if (resourceId !== undefined) {
      // The sign keeps SQLite from the index by resource: few threads have something open.
      conditions.push(open !== undefined ? '+resource = ?' : 'resource = ?');
      values.push(resourceId);
    }
    if (open !== undefined) {
      conditions.push('key IN (SELECT thread FROM open_things WHERE kind = ?)');
      values.push(open);
    }
    if (after !== undefined) {
      conditions.push(open === undefined ? '(updated, id) < (?, ?)' : '(+updated, +id) < (?, ?)');
      values.push(after.updatedAt, after.id);
    }
    const page = `FROM threads WHERE ${conditions.join(' AND ')} ORDER BY updated DESC, id DESC LIMIT ?`;
    // Threads with open things have no index by `updated`: sort the keys first, then read only the rows of the page.
    const rows =
      open === undefined ? page : `FROM threads WHERE key IN (SELECT key ${page}) ORDER BY updated DESC, id DESC`;
    return query(this.#db, `SELECT ${threadColumns} ${rows}`)
      .all(...values, limit)
      .map(row => toRow(row));
  }
}

function toPlace(row: unknown): Place | undefined {
  if (row === undefined) return undefined;
  const [key, owner, fork] = row as [number, number | null, number];
  return { key, owner, fork };
}

function toRow(row: unknown, asked?: string): ThreadRow {
  const [key, owner, fork, seq, imported, bytes] = row as [
    number,
    number | null,
    number,
    number,
    number | null,
    unknown,
  ];
  const [id, resource, created, updated, info, open] = textsIn(bytes, texts.length) ?? [];
  if (
    id === undefined ||
    resource === undefined ||
    created === undefined ||
    updated === undefined ||
    info === undefined ||
    open === undefined
  )
    throw damagedThread(asked ?? `with the key ${key}`);
  return { key, owner, fork, seq, imported, id, resource, created, updated, info, open };
}

/** Returns the thread of a row. */
export function toThread(row: ThreadRow): Thread {
  const info = parseInfo(row.id, row.info);
  const open = toOpenThings(row);
  return {
    id: row.id,
    resourceId: row.resource,
    ...defined({ title: info.title }),
    metadata: info.metadata,
    createdAt: row.created,
    updatedAt: row.updated,
    seq: row.seq,
    ...defined({ branchedFrom: info.branchedFrom }),
    ...(row.imported !== null && { importedSeq: row.imported }),
    ...(open.length > 0 && { open }),
  };
}
