import { firstOrderAt, ordersPerMs, type SearchedText } from '../derived/searched-text.ts';
import type { TextPlace } from '../derived/search.ts';
import { splitWords } from '../derived/words.ts';
import { command, type Connection, query } from './statement.ts';
import { asBytes, asNumber, textIn } from './stored-text.ts';

/** A text that is indexed: that of events of a row, or the title of its thread (seq 0). */
export interface IndexedText extends TextPlace {
  readonly thread: number;
  readonly lastSeq: number;
}

const columns = `${['key', 'thread', 'seq', 'last'].map(name => asNumber(`texts.${name}`)).join()}, ${asBytes('texts.message')}`;

/**
 * The index of words. It holds no texts: they are read from the events. Words are removed by naming them again, so that
 * nothing of a deleted text stays in the file.
 */
export class SearchTable {
  readonly #insert;
  readonly #newest;
  readonly #insertWords;
  readonly #find;
  readonly #titleOf;
  readonly #after;
  readonly #delete;
  readonly #deleteWords;

  constructor(db: Connection) {
    this.#insert = command(db, 'INSERT INTO texts (key, thread, seq, last, message) VALUES (?, ?, ?, ?, ?)');
    this.#insertWords = command(db, 'INSERT INTO words (rowid, text) VALUES (?, ?)');
    this.#newest = query(db, `SELECT ${asNumber('max(key)')} FROM texts WHERE key BETWEEN ? AND ?`);
    this.#find = query(
      db,
      `SELECT ${columns} FROM words JOIN texts ON texts.key = words.rowid WHERE words MATCH ? AND words.rowid < ? ORDER BY words.rowid DESC LIMIT ?`,
    );
    this.#titleOf = query(db, `SELECT ${columns} FROM texts WHERE thread = ? AND seq = 0`);
    this.#after = query(db, `SELECT ${columns} FROM texts WHERE thread = ? AND last > ? LIMIT ?`);
    this.#delete = command(db, 'DELETE FROM texts WHERE key = ?');
    this.#deleteWords = command(db, "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)");
  }

  insert(thread: number, { seq, lastSeq, messageId, text, time }: SearchedText): void {
    const order = this.#orderAt(firstOrderAt(time));
    this.#insert.run(order, thread, seq, lastSeq, messageId);
    this.#insertWords.run(order, splitWords(text).join(' '));
  }

  /** The first free place after the texts of a millisecond. */
  #orderAt(first: number): number {
    const [newest] = this.#newest.get(first, first + ordersPerMs - 1) as [number | null];
    const order = newest === null ? first : newest + 1;
    return order < first + ordersPerMs ? order : this.#orderAt(order);
  }

  /** Texts that have all of the words, the newest first. */
  find(words: readonly string[], before: number, limit: number): IndexedText[] {
    const match = words.map(word => `"${word}"`).join(' ');
    return this.#find.all(match, before, limit).map(toText);
  }

  findTitle(thread: number): IndexedText | undefined {
    const row = this.#titleOf.get(thread);
    return row === undefined ? undefined : toText(row);
  }

  /** Texts of a row that end after a seq. */
  after(thread: number, seq: number, most: number): IndexedText[] {
    return this.#after.all(thread, seq, most).map(toText);
  }

  /** Removes a text; its words must be the ones that were indexed. */
  delete({ order }: IndexedText, text: string): void {
    this.#deleteWords.run(order, splitWords(text).join(' '));
    this.#delete.run(order);
  }
}

function toText(row: unknown): IndexedText {
  const [order, thread, seq, lastSeq, message] = row as [number, number, number, number, unknown];
  return { order, thread, seq, lastSeq, messageId: textIn(message) ?? '' };
}
