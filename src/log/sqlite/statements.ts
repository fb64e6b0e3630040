import { isUsableId } from '../checks.ts';
import { type Lease, openRunPrefix, type RawLine, type Thread } from '../event-log.ts';
import type { Connection } from './open.ts';

/** A thread as the file holds it; `owner` is the row that holds its events up to `fork`. */
export interface ThreadRow {
  readonly key: number;
  readonly id: string;
  readonly resource: string;
  readonly info: string;
  readonly created: string;
  readonly updated: string;
  readonly seq: number;
  readonly owner: number | null;
  readonly fork: number;
  /** The newest event that was imported; null when the thread was not made for an import. */
  readonly imported: number | null;
}

/** Where the events of a thread are: in its own row, and up to `fork` in that of its owner. */
export type Place = Pick<ThreadRow, 'key' | 'owner' | 'fork'>;

interface Head extends Pick<ThreadRow, 'key' | 'seq' | 'info'> {
  readonly token: number | undefined;
}

type SqlValue = string | number | null | Buffer;

interface Statement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
}

/** The library copies values that are given one by one once more; those in a list it takes as they are. */
function ofValues(statement: ReturnType<Connection['prepare']>): Statement {
  return {
    run: (...values) => statement.run(values),
    get: (...values) => statement.get(values),
    all: (...values) => statement.all(values),
  };
}

type RowTuple = [number, string, string, string, string, string, number, number | null, number, number | null];

/** A thread's seq is that of its newest event: an append need not write it to the thread's row as well. */
const newestSeq = 'coalesce((SELECT max(seq) FROM events WHERE thread = threads.key), fork)';
const threadColumns = `key, id, resource, info, created, updated, ${newestSeq}, owner, fork, imported`;

/** Holds for every thread with an open run, and for a few others; an index answers it. */
const mayHaveOpenRun = `instr(info, '"${openRunPrefix}') > 0`;
const hasOpenRun = `EXISTS (SELECT 1 FROM json_each(info, '$.metadata') AS entry WHERE instr(entry.key, '${openRunPrefix}') = 1)`;

/** Every statement of the log, prepared once. */
export class Statements {
  readonly #db: Connection;

  readonly #thread: Statement;
  readonly #head: Statement;
  readonly #place: Statement;
  readonly #threadByKey: Statement;
  readonly #hidden: Statement;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #once: Statement;
  readonly #lease: Statement;
  readonly #lastRaw: Statement;
  readonly #rawLines: Statement;
  readonly #hasBranches: Statement;
  readonly #dataVersion: Statement;
  readonly #insertEvent: Statement;
  readonly #insertEvents: Statement;
  readonly readEvents: Statement;
  readonly insertOnce: Statement;
  readonly setInfo: Statement;
  readonly updateInfo: Statement;
  readonly #replaceInfo: Statement;
  readonly setImported: Statement;
  readonly insertThread: Statement;
  readonly hide: Statement;
  readonly deleteThread: Statement;
  readonly deleteEvents: Statement;
  readonly deleteOnce: Statement;
  readonly deleteRaw: Statement;
  readonly setLease: Statement;
  readonly #takeLease: Statement;
  readonly endLease: Statement;
  readonly insertRaw: Statement;

  constructor(db: Connection) {
    this.#db = db;
    const prepare = (sql: string) => ofValues(db.prepare(sql).raw());
    const command = (sql: string) => ofValues(db.prepare(sql));
    this.#thread = prepare(`SELECT ${threadColumns} FROM threads WHERE id = ? AND hidden = 0`);
    this.#head = prepare(
      `SELECT key, ${newestSeq}, info, (SELECT token FROM leases WHERE name = ?) FROM threads WHERE id = ? AND hidden = 0`,
    );
    this.#place = prepare('SELECT key, owner, fork FROM threads WHERE id = ? AND hidden = 0');
    this.#threadByKey = prepare(`SELECT ${threadColumns} FROM threads WHERE key = ?`);
    this.#hidden = prepare(`SELECT ${threadColumns} FROM threads WHERE key = ? AND hidden = 1`);
    this.#begin = command('BEGIN IMMEDIATE');
    this.#commit = command('COMMIT');
    this.#once = prepare('SELECT seq FROM once WHERE thread = ? AND key = ?');
    this.#lease = prepare('SELECT owner, token, expires FROM leases WHERE name = ?');
    this.#lastRaw = prepare('SELECT max(n) FROM raw_lines WHERE thread = ? AND run = ?');
    this.#rawLines = prepare(
      'SELECT n, ts, stream, line FROM raw_lines WHERE thread = ? AND run = ? AND n > ? ORDER BY n LIMIT ?',
    );
    this.#hasBranches = prepare('SELECT 1 FROM threads WHERE owner = ? LIMIT 1');
    this.#dataVersion = prepare('PRAGMA data_version');
    this.readEvents = prepare('SELECT body FROM events WHERE thread = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ?');
    this.#insertEvent = command('INSERT INTO events (thread, seq, body) VALUES (?, ?, ?)');
    this.#insertEvents = command('INSERT INTO events (thread, seq, body) SELECT ?, ? + key, value FROM json_each(?)');
    this.insertOnce = command('INSERT INTO once (thread, key, seq) VALUES (?, ?, ?)');
    this.setInfo = command('UPDATE threads SET info = ? WHERE key = ?');
    this.updateInfo = command('UPDATE threads SET info = ?, updated = ? WHERE key = ?');
    this.#replaceInfo = command('UPDATE threads SET info = ?, updated = ? WHERE id = ? AND info = ?');
    this.setImported = command('UPDATE threads SET imported = ? WHERE key = ?');
    this.insertThread = command(
      'INSERT INTO threads (id, resource, info, created, updated, owner, fork, imported) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.hide = command('UPDATE threads SET hidden = 1, id = ? WHERE key = ?');
    this.deleteThread = command('DELETE FROM threads WHERE key = ?');
    this.deleteEvents = command('DELETE FROM events WHERE thread = ?');
    this.deleteOnce = command('DELETE FROM once WHERE thread = ?');
    this.deleteRaw = command('DELETE FROM raw_lines WHERE thread = ?');
    this.setLease = command(
      'INSERT INTO leases (name, owner, token, expires) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, token = excluded.token, expires = excluded.expires',
    );
    // An end that is written with a sign is that of a year beyond 9999: it does not compare as text.
    this.#takeLease = prepare(
      "INSERT INTO leases (name, owner, token, expires) VALUES (?, ?, 1, ?) ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, token = token + 1, expires = excluded.expires WHERE owner = excluded.owner OR expires BETWEEN '0' AND ? RETURNING token",
    );
    this.endLease = command('UPDATE leases SET expires = ? WHERE name = ? AND token = ?');
    this.insertRaw = command('INSERT INTO raw_lines (thread, run, n, ts, stream, line) VALUES (?, ?, ?, ?, ?, ?)');
  }

  /** Runs an action in a transaction that takes the write lock at once: two processes never interleave. */
  immediate(action: () => unknown): unknown {
    this.#begin.run();
    try {
      const result = action();
      this.#commit.run();
      return result;
    } catch (error) {
      // A full disk has rolled the transaction back already.
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  thread(id: string): ThreadRow | undefined {
    return isUsableId(id) ? toRow(this.#thread.get(id)) : undefined;
  }

  /** Replaces what a thread is called and carries, if it is still what it was; tells whether it was. */
  replaceInfo(before: ThreadRow, { info, updated }: ThreadRow): boolean {
    const { changes } = this.#replaceInfo.run(info, updated, before.id, before.info) as { changes: number };
    return changes === 1;
  }

  /** What an append has to know of a thread, and the newest token of a lease. */
  head(id: string, leaseName = ''): Head | undefined {
    if (!isUsableId(id)) return undefined;
    const row = this.#head.get(leaseName, id) as [number, number, string, number | null] | undefined;
    return row && { key: row[0], seq: row[1], info: row[2], token: row[3] ?? undefined };
  }

  /** Where the events of a thread are. */
  place(id: string): Place | undefined {
    const row = isUsableId(id) ? (this.#place.get(id) as [number, number | null, number] | undefined) : undefined;
    return row && { key: row[0], owner: row[1], fork: row[2] };
  }

  /** Inserts the stored texts of events with seq `firstSeq` and on; a larger batch goes to SQLite in one call. */
  insertEvents(thread: number, firstSeq: number, bodies: readonly string[]): void {
    if (bodies.length > 4) this.#insertEvents.run(thread, firstSeq, JSON.stringify(bodies));
    else for (const [at, body] of bodies.entries()) this.#insertEvent.run(thread, firstSeq + at, body);
  }

  /** The row that holds the events before a thread's fork. */
  owner(row: Place): ThreadRow | undefined {
    return row.owner === null ? undefined : toRow(this.#threadByKey.get(row.owner));
  }

  /** A deleted thread whose events are kept for its branches. */
  hidden(key: number): ThreadRow | undefined {
    return toRow(this.#hidden.get(key));
  }

  hasBranches(key: number): boolean {
    return this.#hasBranches.get(key) !== undefined;
  }

  list({
    resourceId,
    after,
    openRuns,
    limit,
  }: {
    resourceId: string | undefined;
    after: Thread | undefined;
    openRuns?: boolean | undefined;
    limit: number;
  }): ThreadRow[] {
    if (resourceId !== undefined && !isUsableId(resourceId)) return [];
    const conditions = ['hidden = 0'];
    const values: (string | number)[] = [];
    if (resourceId !== undefined) {
      conditions.push('resource = ?');
      values.push(resourceId);
    }
    if (openRuns === true) conditions.push(mayHaveOpenRun, hasOpenRun);
    if (after !== undefined) {
      conditions.push('(updated, id) < (?, ?)');
      values.push(after.updatedAt, after.id);
    }
    const sql = `SELECT ${threadColumns} FROM threads WHERE ${conditions.join(' AND ')} ORDER BY updated DESC, id DESC LIMIT ?`;
    const rows = this.#db
      .prepare<SqlValue[]>(sql)
      .raw()
      .all(...values, limit);
    return rows.flatMap(row => toRow(row) ?? []);
  }

  once(thread: number, key: string): number | undefined {
    return (this.#once.get(thread, key) as [number] | undefined)?.[0];
  }

  lease(name: string): Lease | undefined {
    const row = isUsableId(name) ? (this.#lease.get(name) as [string, number, string] | undefined) : undefined;
    return row && { name, owner: row[0], token: row[1], expiresAt: row[2] };
  }

  /** Takes a lease that is free, that ended, or that the owner has; its new token, or undefined when it is held. */
  takeLease({ name, owner, expiresAt }: Omit<Lease, 'token'>, now: string): number | undefined {
    return (this.#takeLease.all(name, owner, expiresAt, now) as [number][])[0]?.[0];
  }

  lastRaw(thread: number, runId: string): number {
    return (this.#lastRaw.get(thread, runId) as [number | null] | undefined)?.[0] ?? 0;
  }

  rawLines(thread: number, runId: string, after: number, limit: number): RawLine[] {
    if (!isUsableId(runId)) return [];
    const rows = this.#rawLines.all(thread, runId, after, limit) as [number, string, RawLine['stream'], Buffer][];
    return rows.map(([n, ts, stream, line]) => ({ n, ts, stream, line: new Uint8Array(line) }));
  }

  /** Changes whenever another connection commits. */
  dataVersion(): number {
    return (this.#dataVersion.get() as [number])[0];
  }
}

function toRow(tuple: unknown): ThreadRow | undefined {
  if (tuple === undefined) return undefined;
  const [key, id, resource, info, created, updated, seq, owner, fork, imported] = tuple as RowTuple;
  return { key, id, resource, info, created, updated, seq, owner, fork, imported };
}

/** What a thread's row holds as JSON. */
export interface ThreadInfo extends Pick<Thread, 'metadata'> {
  readonly title: Thread['title'] | undefined;
  readonly branchedFrom: Thread['branchedFrom'] | undefined;
}

/** The thread a row stands for. */
export function toThread(row: ThreadRow): Thread {
  const info = JSON.parse(row.info) as ThreadInfo;
  return {
    id: row.id,
    resourceId: row.resource,
    ...(info.title !== undefined && { title: info.title }),
    metadata: info.metadata,
    createdAt: row.created,
    updatedAt: row.updated,
    seq: row.seq,
    ...(info.branchedFrom !== undefined && { branchedFrom: info.branchedFrom }),
    ...(row.imported !== null && { importedSeq: row.imported }),
  };
}
