import { command, type Connection } from './statement.ts';

/**
 * Runs actions in transactions that take the write lock at once: two processes never interleave. One that only reads
 * may `BEGIN` without it. Nothing is written outside of one: a statement that finds the file locked stays under way, and
 * no transaction could be committed then.
 */
export class Transaction {
  readonly #db: Connection;
  readonly #begin;
  readonly #commit;

  constructor(db: Connection, begin: 'BEGIN IMMEDIATE' | 'BEGIN' = 'BEGIN IMMEDIATE') {
    this.#db = db;
    this.#begin = command(db, begin);
    this.#commit = command(db, 'COMMIT');
  }

  run<Result>(action: () => Result): Result {
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
}
