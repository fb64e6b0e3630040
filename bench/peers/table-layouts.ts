import Database from 'libsql';

/** One way to keep events in a table; a thread and a seq are bound as `?1` and `?2`. */
export interface TableLayout {
  readonly name: string;
  readonly create: string;
  /** `?3` is the text of the event. */
  readonly insert: string;
  /** `?3` is how many are read. */
  readonly read: string;
}

const joined = (from: string) =>
  `SELECT CAST(group_concat(body) AS BLOB) FROM (SELECT body FROM events ${from} LIMIT ?3)`;

/** The layout of the log first, then the others. */
export const tableLayouts: readonly TableLayout[] = [
  {
    name: 'one position',
    create: 'CREATE TABLE events (position INTEGER PRIMARY KEY, body TEXT NOT NULL)',
    insert: 'INSERT INTO events VALUES ((?1 << 32 | ?2), ?3)',
    read: joined('WHERE position > (?1 << 32 | ?2) AND position < (?1 + 1 << 32) ORDER BY position'),
  },
  {
    name: 'without rowid',
    create:
      'CREATE TABLE events (thread INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (thread, seq)) WITHOUT ROWID',
    insert: 'INSERT INTO events VALUES (?1, ?2, ?3)',
    read: joined('WHERE thread = ?1 AND seq > ?2 ORDER BY seq'),
  },
  {
    name: 'in order of arrival, with an index',
    create:
      'CREATE TABLE events (key INTEGER PRIMARY KEY, thread INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL); CREATE UNIQUE INDEX by_thread ON events (thread, seq)',
    insert: 'INSERT INTO events (thread, seq, body) VALUES (?1, ?2, ?3)',
    read: joined('WHERE thread = ?1 AND seq > ?2 ORDER BY seq'),
  },
];

/** A file with one layout and page size, and the other settings of the log. */
export class LayoutFile {
  readonly #db: InstanceType<typeof Database>;
  readonly #insert;
  readonly #read;

  constructor(path: string, { create, insert, read }: TableLayout, pageSize: number) {
    this.#db = new Database(path);
    this.#db.exec(`PRAGMA page_size = ${pageSize}`);
    this.#db.exec('PRAGMA auto_vacuum = INCREMENTAL');
    this.#db.exec('PRAGMA journal_mode = WAL');
    this.#db.exec('PRAGMA synchronous = NORMAL');
    this.#db.exec('PRAGMA secure_delete = ON');
    this.#db.exec(create);
    this.#insert = this.#db.prepare<[number, number, string]>(insert);
    this.#read = this.#db.prepare<[number, number, number]>(read).raw();
  }

  append(thread: number, seq: number, body: string): void {
    this.#db.exec('BEGIN IMMEDIATE');
    this.#insert.run(thread, seq, body);
    this.#db.exec('COMMIT');
  }

  read(thread: number, after: number, limit: number): unknown[] {
    const [bytes] = this.#read.get(thread, after, limit) as [Buffer | null];
    return bytes === null ? [] : (JSON.parse(`[${bytes.toString()}]`) as unknown[]);
  }

  /** Puts everything into the file itself. */
  settle(): void {
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#db.close();
  }
}
