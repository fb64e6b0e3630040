import { type LongContent, wholeBody } from '../long-content.ts';
import { command, type Connection, lowest32, toPosition, query } from './statement.ts';
import { asBytes, asNumber, textIn } from './stored-text.ts';

/** The long texts of events: each is stored once, until no event refers to it. */
export class ContentTable {
  readonly #insert;
  readonly #refer;
  readonly #get;
  readonly #bytes;
  readonly #last;
  readonly #release;
  readonly #deleteUnused;

  constructor(db: Connection) {
    this.#insert = command(db, 'INSERT OR IGNORE INTO contents (hash, body) VALUES (?, ?)');
    this.#refer = command(
      db,
      `INSERT INTO content_references (position, hash, bytes) VALUES (${toPosition('?1', '?2')}, ?3, ?4)`,
    );
    this.#get = query(db, `SELECT ${asBytes('body')} FROM contents WHERE hash = ?`);
    this.#bytes = query(
      db,
      `SELECT ${asNumber('sum(bytes)')} FROM content_references WHERE position > ${toPosition('?1', '?2')} AND position < ${toPosition('?1', '?3')}`,
    );
    this.#last = query(
      db,
      `SELECT ${asNumber(`position & ${lowest32}`)}, ${asBytes('hash')} FROM content_references WHERE position > ${toPosition('?1', '?2')} AND position <= ${toPosition('?1', String(lowest32))} ORDER BY position DESC LIMIT ?3`,
    );
    this.#release = command(
      db,
      `DELETE FROM content_references WHERE position = ${toPosition('?1', '?2')} AND hash = ?3`,
    );
    this.#deleteUnused = command(
      db,
      'DELETE FROM contents WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM content_references WHERE hash = ?1)',
    );
  }

  /** Stores the long texts of an event. */
  add(thread: number, seq: number, contents: readonly LongContent[]): void {
    for (const { hash, text, bytes } of contents) {
      this.#insert.run(hash, text);
      this.#refer.run(thread, seq, hash, bytes);
    }
  }

  /** The text of events with their long texts in place; undefined when the file is damaged there. */
  wholeIn(bytes: unknown): string | undefined {
    const text = textIn(bytes);
    let isDamaged = false;
    const findContent = (hash: string) => {
      const content = textIn((this.#get.get(hash) as [unknown] | undefined)?.[0]);
      isDamaged ||= content === undefined;
      return content ?? '';
    };
    const whole = text === undefined ? undefined : wholeBody(text, findContent);
    return isDamaged ? undefined : whole;
  }

  /** How many bytes the long texts of events have, between two seqs. */
  bytesBetween(thread: number, after: number, before: number): number {
    return (this.#bytes.get(thread, after, before) as [number | null])[0] ?? 0;
  }

  /** Releases at most `most` long texts of the events of a row after a seq; returns whether all are released. */
  releaseSome(thread: number, after: number, most: number): boolean {
    const rows = this.#last.all(thread, after, most) as [number, unknown][];
    for (const [seq, hash] of rows) {
      this.#release.run(thread, seq, textIn(hash) ?? '');
      this.#deleteUnused.run(textIn(hash) ?? '');
    }
    return rows.length < most;
  }
}
