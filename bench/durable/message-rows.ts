import Database from 'libsql';

/** A table with one row for each message, as an application keeps beside a framework that has no store of its own. */
export class MessageRows<Message> {
  readonly #db: InstanceType<typeof Database>;
  readonly #insertAll: (threadId: string, messages: readonly Message[]) => void;
  readonly #select: { all(threadId: string): unknown[] };

  constructor(file: string) {
    this.#db = new Database(file);
    this.#db.exec('PRAGMA journal_mode = WAL');
    this.#db.exec('PRAGMA synchronous = NORMAL');
    this.#db.exec(
      'CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, thread TEXT NOT NULL, body TEXT NOT NULL)',
    );
    this.#db.exec('CREATE INDEX IF NOT EXISTS by_thread ON messages (thread, id)');
    const insert = this.#db.prepare<[string, string]>('INSERT INTO messages (thread, body) VALUES (?, ?)');
    this.#insertAll = this.#db.transaction((threadId: string, messages: readonly Message[]) => {
      for (const message of messages) insert.run(threadId, JSON.stringify(message));
    });
    this.#select = this.#db.prepare<[string]>('SELECT body FROM messages WHERE thread = ? ORDER BY id').raw();
  }

  /** Inserts messages in one transaction. */
  add(threadId: string, messages: readonly Message[]): void {
    this.#insertAll(threadId, messages);
  }

  list(threadId: string): Message[] {
    return this.#select.all(threadId).map(row => JSON.parse((row as [string])[0]) as Message);
  }

  close(): void {
    this.#db.close();
  }
}
