import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import { changes, command, type Connection, lowest32, toPosition, query } from './statement.ts';
import { asBytes, asNumber, jsonIn, textIn } from './stored-text.ts';

/** The outlines and the messages of threads, to find a place in a thread without reading it. */
export class OutlineTable {
  readonly #insert;
  readonly #newest;
  readonly #after;
  readonly #insertMessage;
  readonly #message;
  readonly #deleteOutlines;
  readonly #deleteMessages;

  constructor(db: Connection) {
    this.#insert = command(
      db,
      `INSERT OR REPLACE INTO outlines (position, body) VALUES (${toPosition('?1', '?2')}, ?3)`,
    );
    this.#newest = query(
      db,
      `SELECT ${asBytes('body')} FROM outlines WHERE position BETWEEN ${toPosition('?1', '0')} AND ${toPosition('?1', '?2')} ORDER BY position DESC LIMIT 1`,
    );
    this.#after = query(
      db,
      `SELECT ${asNumber(`position & ${lowest32}`)} FROM outlines WHERE position > ${toPosition('?1', '?2')} AND position <= ${toPosition('?1', String(lowest32))} ORDER BY position LIMIT ?3`,
    );
    this.#insertMessage = command(db, 'INSERT OR IGNORE INTO messages (thread, id, seq) VALUES (?, ?, ?)');
    this.#message = query(db, `SELECT ${asNumber('seq')} FROM messages WHERE thread = ? AND id = ? AND seq <= ?`);
    const last = `SELECT position FROM outlines WHERE position > ${toPosition('?1', '?2')} AND position <= ${toPosition('?1', String(lowest32))} LIMIT ?3`;
    this.#deleteOutlines = command(db, `DELETE FROM outlines WHERE position IN (${last})`);
    this.#deleteMessages = command(
      db,
      'DELETE FROM messages WHERE thread = ?1 AND id IN (SELECT id FROM messages WHERE thread = ?1 AND seq > ?2 LIMIT ?3)',
    );
  }

  insert(thread: number, snapshot: OutlineSnapshot): void {
    this.#insert.run(thread, snapshot.seq, JSON.stringify(snapshot));
  }

  /** Returns the newest outline of a row at or before a seq; undefined when it does not exist or is damaged. */
  newest(thread: number, seq: number): OutlineSnapshot | undefined {
    const [bytes] = (this.#newest.get(thread, Math.min(seq, lowest32)) as [unknown] | undefined) ?? [];
    const snapshot = jsonIn(textIn(bytes)) as OutlineSnapshot | undefined;
    return Array.isArray(snapshot?.events) ? snapshot : undefined;
  }

  /** The seqs of the first outlines of a row after a seq. */
  after(thread: number, seq: number, most: number): number[] {
    return (this.#after.all(thread, seq, most) as [number][]).map(([at]) => at);
  }

  insertMessage(thread: number, messageId: string, seq: number): void {
    this.#insertMessage.run(thread, messageId, seq);
  }

  /** The seq of a message of a row, up to a seq. */
  message(thread: number, messageId: string, upTo: number): number | undefined {
    return (this.#message.get(thread, messageId, Math.min(upTo, lowest32)) as [number] | undefined)?.[0];
  }

  /** Removes at most `most` rows of each table for the events of a row after a seq; returns whether all are removed. */
  deleteSome(thread: number, after: number, most: number): boolean {
    const outlines = changes(this.#deleteOutlines.run(thread, after, most));
    return outlines < most && changes(this.#deleteMessages.run(thread, after, most)) < most;
  }
}
