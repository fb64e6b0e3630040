import Database from 'libsql';
import type { AgentEvent } from 'singletree/events';

/** The least that a writer of events into SQLite has to do: same file settings and table as the log, no checks. */
export class BareSqlite {
  readonly #db: InstanceType<typeof Database>;
  readonly #insert: { run(thread: number, seq: number, body: string): unknown };
  readonly #select: { all(thread: number, after: number, limit: number): unknown[] };
  readonly #insertAll: { immediate(events: readonly AgentEvent[]): void };
  #seq = 0;

  constructor(path: string) {
    this.#db = new Database(path);
    this.#db.exec('PRAGMA auto_vacuum = INCREMENTAL');
    this.#db.exec('PRAGMA journal_mode = WAL');
    this.#db.exec('PRAGMA secure_delete = ON');
    this.#db.exec('PRAGMA synchronous = NORMAL');
    this.#db.exec('CREATE TABLE events (position INTEGER PRIMARY KEY, body TEXT NOT NULL)');
    this.#insert = this.#db.prepare<[number, number, string]>(
      'INSERT INTO events (position, body) VALUES ((?1 << 32 | ?2), ?3)',
    );
    this.#select = this.#db
      .prepare<[number, number, number]>(
        'SELECT body FROM events WHERE position > (?1 << 32 | ?2) AND position < (?1 + 1 << 32) ORDER BY position LIMIT ?3',
      )
      .raw();
    this.#insertAll = this.#db.transaction((events: readonly AgentEvent[]) => {
      const ts = new Date().toISOString();
      for (const event of events) {
        const seq = ++this.#seq;
        this.#insert.run(1, seq, JSON.stringify({ ...event, seq, ts }));
      }
    });
  }

  /** Inserts a batch in one transaction. */
  append(events: readonly AgentEvent[]): void {
    this.#insertAll.immediate(events);
  }

  /** One page of events. */
  read(after: number, limit: number): unknown[] {
    const rows = this.#select.all(1, after, limit) as [string][];
    return rows.map(([body]) => JSON.parse(body) as unknown);
  }

  close(): void {
    this.#db.close();
  }
}
