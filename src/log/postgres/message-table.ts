import type { Client } from './driver.ts';
import { decodeEvent } from '../encode.ts';
import type { Connections } from './connections.ts';
import { wholeBodyOf } from './content-functions.ts';
import { messageMarks } from './message-marks.ts';

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
}

const threadsAtOnce = 100;
const eventsAtOnce = 1_000;

/** Compares the table of messages with the events, and writes it anew. */
export class MessageTable {
  readonly #connections: Connections;
  readonly #schema: string;

  constructor(connections: Connections, schema: string) {
    this.#connections = connections;
    this.#schema = schema;
  }

  /**
   * Computes the messages of every thread from its events, one thread after the other in the order in which they were
   * created. Those that differ are replaced when `rebuild` is true; nothing is changed otherwise.
   */
  async check(rebuild: boolean): Promise<MessageCheck> {
    const different: string[] = [];
    let threads = 0;
    for (let after = '0'; ; ) {
      const rows: ThreadKey[] = await this.#connections.query(
        {
          name: 'check_threads',
          text: `SELECT key, id FROM ${this.#schema}.threads WHERE key > $1 ORDER BY key LIMIT ${threadsAtOnce}`,
        },
        [after],
      );
      if (rows.length === 0) return { threads, different };
      different.push(...(await this.#connections.use(client => this.#checkThreads(client, rows, rebuild))));
      threads += rows.length;
      after = rows.at(-1)?.key ?? after;
    }
  }

  /** Returns the threads whose messages differ. */
  async #checkThreads(client: Client, threads: readonly ThreadKey[], rebuild: boolean): Promise<string[]> {
    const different: string[] = [];
    for (const { key, id } of threads)
      if (!(await this.#checkThread(client, key, rebuild))) different.push(id ?? `deleted ${key}`);
    return different;
  }

  /** Returns whether the messages of a thread are what its events say. */
  async #checkThread(client: Client, key: string, rebuild: boolean): Promise<boolean> {
    const s = this.#schema;
    await client.query('BEGIN');
    try {
      await client.query(`SELECT 1 FROM ${s}.threads WHERE key = $1 FOR UPDATE`, [key]);
      for (const table of ['messages', 'selections']) {
        await client.query(`CREATE TEMPORARY TABLE ${table}_before ON COMMIT DROP AS TABLE ${s}.${table} WITH NO DATA`);
        await client.query(`INSERT INTO ${table}_before SELECT * FROM ${s}.${table} WHERE thread = $1`, [key]);
        await client.query(`DELETE FROM ${s}.${table} WHERE thread = $1`, [key]);
      }
      const before = await client.query<{ tip: string | null }>(
        `UPDATE ${s}.threads t SET tip = NULL FROM ${s}.threads o WHERE t.key = $1 AND o.key = t.key RETURNING o.tip`,
        [key],
      );
      await this.#project(client, key);
      const { rows } = await client.query<{ is_same: boolean }>(
        `SELECT NOT EXISTS (
           (TABLE messages_before EXCEPT SELECT * FROM ${s}.messages WHERE thread = $1)
           UNION ALL (SELECT * FROM ${s}.messages WHERE thread = $1 EXCEPT TABLE messages_before)
         ) AND NOT EXISTS (
           (TABLE selections_before EXCEPT SELECT * FROM ${s}.selections WHERE thread = $1)
           UNION ALL (SELECT * FROM ${s}.selections WHERE thread = $1 EXCEPT TABLE selections_before)
         ) AND (SELECT tip IS NULL OR $2::text IS NULL OR tip = $2 FROM ${s}.threads WHERE key = $1) AS is_same`,
        [key, before.rows[0]?.tip ?? null],
      );
      const isSame = rows[0]?.is_same === true;
      await client.query(isSame || !rebuild ? 'ROLLBACK' : 'COMMIT');
      return isSame;
    } catch (error) {
      // The first error is the one to report.
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  async #project(client: Client, key: string): Promise<void> {
    const s = this.#schema;
    for (let after = '0'; ; ) {
      const { rows } = await client.query<{ seq: string; body: string }>(
        `SELECT seq, ${wholeBodyOf(s, 'e')} AS body FROM ${s}.events e WHERE thread = $1 AND seq > $2
           AND body ~ '"type":"(user|harness_start|harness_end|branch_selected)"' ORDER BY seq LIMIT ${eventsAtOnce}`,
        [key, after],
      );
      const marks = messageMarks(
        rows.map(({ body }) => decodeEvent(body)),
        0,
      );
      if (marks !== null) await client.query(`SELECT ${s}.project_messages($1, 0, $2)`, [key, marks]);
      if (rows.length < eventsAtOnce) return;
      after = rows.at(-1)?.seq ?? after;
    }
  }
}
