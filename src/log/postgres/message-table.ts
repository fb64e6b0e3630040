import type { Connections } from './connections.ts';
import type { DerivedRows } from './derived-rows.ts';

export interface MessageCheck {
  /** How many threads were checked. */
  readonly threads: number;
  /** The threads whose messages were not what their events say. */
  readonly different: readonly string[];
}

interface ThreadKey {
  readonly key: string;
  /** Null when the thread was deleted. */
  readonly id: string | null;
  readonly fork: string;
  /** Up to which seq its events are kept. */
  readonly newest: string;
}

const threadsAtOnce = 100;

/** Compares the table of messages with the events and rebuilds it. */
export class MessageTable {
  readonly #connections: Connections;
  readonly #derived: DerivedRows;
  readonly #schema: string;

  constructor(connections: Connections, derived: DerivedRows, schema: string) {
    this.#connections = connections;
    this.#derived = derived;
    this.#schema = schema;
  }

  /**
   * Derives the messages of every thread from its events. Stored messages that differ are replaced when `rebuild` is
   * true, and only reported otherwise. Skips a thread that grows during the check: its derivation is still pending.
   */
  async check(rebuild: boolean): Promise<MessageCheck> {
    const different: string[] = [];
    let threads = 0;
    await this.#derived.indexSome();
    for (let after = '0'; ; ) {
      const s = this.#schema;
      const rows: ThreadKey[] = await this.#connections.query(
        {
          name: 'check_threads',
          text: `SELECT t.key, t.id, t.fork, CASE WHEN t.id IS NULL
              THEN (SELECT coalesce(max(c.fork), 0) FROM ${s}.threads c WHERE c.owner = t.key) ELSE t.seq END AS newest
            FROM ${s}.threads t WHERE t.key > $1 ORDER BY t.key LIMIT ${threadsAtOnce}`,
        },
        [after],
      );
      if (rows.length === 0) return { threads, different };
      for (const row of rows)
        if (!(await this.#checkThread(row, rebuild))) different.push(row.id ?? `deleted ${row.key}`);
      threads += rows.length;
      after = rows.at(-1)?.key ?? after;
    }
  }

  /** Returns whether the messages of a thread are what its events say. */
  async #checkThread({ key, fork, newest }: ThreadKey, rebuild: boolean): Promise<boolean> {
    const rows = await this.#derived.deriveMessages(key, Number(fork), Number(newest));
    const [found] = await this.#connections.query<{ is_same: boolean }>(
      { name: 'check_messages', text: `SELECT ${this.#schema}.check_messages($1, $2, $3, $4) AS is_same` },
      [key, newest, rows, rebuild],
    );
    return found?.is_same === true;
  }
}
