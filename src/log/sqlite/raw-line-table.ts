import { isUsableId } from '../checks.ts';
import type { RawLine } from '../event-log.ts';
import { DamagedValue } from './errors.ts';
import { changes, command, type Connection, lowest32, toPosition, query, type SqlValue } from './statement.ts';
import { asBytes, asJoinedBytes, asNumber, textsIn } from './stored-text.ts';

const ofRun = `position BETWEEN ${toPosition('raw_runs.key', '0')} AND ${toPosition('raw_runs.key', String(lowest32))}`;

/** The run of a thread that raw lines belong to. */
export interface RawRun {
  readonly key: number;
  /** The number of its last line. */
  readonly last: number;
}

/** How many lines one statement inserts. */
const linesAtOnce = 16;

/** The raw lines of a file. */
export class RawLineTable {
  readonly #run;
  readonly #runsOf;
  readonly #insertRun;
  readonly #insert;
  readonly #insertMany;
  readonly #read;
  readonly #deleteLines;
  readonly #deleteRun;

  constructor(db: Connection) {
    this.#run = query(
      db,
      `SELECT ${asNumber('key')}, ${asNumber(`coalesce((SELECT max(position) FROM raw_lines WHERE ${ofRun}) & ${lowest32}, 0)`)} FROM raw_runs WHERE thread = ? AND run = ?`,
    );
    this.#runsOf = query(db, `SELECT ${asNumber('key')} FROM raw_runs WHERE thread = ?`);
    this.#insertRun = query(db, `INSERT INTO raw_runs (thread, run) VALUES (?, ?) RETURNING ${asNumber('key')}`);
    this.#insert = command(
      db,
      `INSERT INTO raw_lines (position, ts, stream, line) VALUES (${toPosition('?1', '?2')}, ?3, ?4, ?5)`,
    );
    const rows = Array.from({ length: linesAtOnce }, (_, row) => {
      const [n, ts, stream, line] = [2, 3, 4, 5].map(field => `?${field + row * 4}`);
      return `(${toPosition('?1', String(n))}, ${ts}, ${stream}, ${line})`;
    });
    this.#insertMany = command(db, `INSERT INTO raw_lines (position, ts, stream, line) VALUES ${rows.join(', ')}`);
    this.#read = query(
      db,
      `SELECT position & ${lowest32}, ${asJoinedBytes(['ts', 'stream'])}, ${asBytes('line')} FROM raw_lines WHERE position > ${toPosition('?1', '?2')} AND position <= ${toPosition('?1', String(lowest32))} ORDER BY position LIMIT ?3`,
    );
    const first = `SELECT position FROM raw_lines WHERE position BETWEEN ${toPosition('?1', '0')} AND ${toPosition('?1', String(lowest32))} LIMIT ?2`;
    this.#deleteLines = command(db, `DELETE FROM raw_lines WHERE position IN (${first})`);
    this.#deleteRun = command(db, 'DELETE FROM raw_runs WHERE key = ?');
  }

  run(thread: number, runId: string): RawRun | undefined {
    const row = isUsableId(runId) ? (this.#run.get(thread, runId) as [number, number] | undefined) : undefined;
    return row && { key: row[0], last: row[1] };
  }

  addRun(thread: number, runId: string): RawRun {
    const [[key]] = this.#insertRun.all(thread, runId) as [[number]];
    return { key, last: 0 };
  }

  /** Inserts lines, many with one statement: a statement costs as much as a short line. */
  insert({ key }: RawRun, lines: readonly RawLine[]): void {
    const together = lines.length - (lines.length % linesAtOnce);
    for (let at = 0; at < together; at += linesAtOnce)
      this.#insertMany.run(key, ...lines.slice(at, at + linesAtOnce).flatMap(listValues));
    for (const line of lines.slice(together)) this.#insert.run(key, ...listValues(line));
  }

  read(run: RawRun, { after, limit }: { after: number; limit: number }): RawLine[] {
    let expected = after;
    const rows = this.#read.all(run.key, Math.min(after, lowest32), limit) as [number, unknown, unknown][];
    return rows.map(([n, texts, line]) => {
      const [ts, stream] = textsIn(texts, 2) ?? [];
      expected++;
      const isStream = stream === 'stdout' || stream === 'stderr';
      if (n !== expected || ts === undefined || !isStream || !(line instanceof Uint8Array))
        throw new DamagedValue(`raw line ${expected}`, { n: expected });
      return { n, ts, stream, line: new Uint8Array(line) };
    });
  }

  /** Removes at most `most` raw lines of a thread; returns whether all are removed. */
  deleteSome(thread: number, most: number): boolean {
    let room = most;
    for (const [key] of this.#runsOf.all(thread) as [number][]) {
      room -= changes(this.#deleteLines.run(key, room));
      if (room <= 0) return false;
      this.#deleteRun.run(key);
    }
    return true;
  }
}

function listValues({ n, ts, stream, line }: RawLine): SqlValue[] {
  return [n, ts, stream, Buffer.from(line.buffer, line.byteOffset, line.byteLength)];
}
