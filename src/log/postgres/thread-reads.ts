import { SingletreeError } from '../../base/singletree-error.ts';
import { checkRange, isUsableId, threadNotFound } from '../checks.ts';
import type { ReadRange } from '../event-log.ts';
import type { Connections } from './connections.ts';
import type { createStatements } from './statements.ts';

/** Where a thread is, and what its news are published under. */
export interface ThreadPlace {
  readonly threadId: string;
  readonly key: string;
  readonly topic: string;
  readonly seq: number;
}

/** Reads the stored texts of threads. */
export class ThreadReads {
  readonly #connections: Connections;
  readonly #sql: ReturnType<typeof createStatements>;

  constructor(connections: Connections, sql: ReturnType<typeof createStatements>) {
    this.#connections = connections;
    this.#sql = sql;
  }

  /** Throws `thread_not_found`. */
  async place(threadId: string): Promise<ThreadPlace> {
    const [row] = isUsableId(threadId)
      ? await this.#connections.query<{ key: string; made: string; seq: string }>(this.#sql.place, [threadId])
      : [];
    if (row === undefined) throw threadNotFound(threadId);
    return { threadId, key: row.key, topic: row.made, seq: Number(row.seq) };
  }

  /** The texts of a thread; with a key only when the thread still has it. Throws `thread_not_found` and `log_corrupt`. */
  async texts(threadId: string, range: ReadRange | undefined, key: string | null = null): Promise<string[]> {
    const { after, before, limit, maxBytes } = checkRange(range);
    if (!isUsableId(threadId)) throw threadNotFound(threadId);
    const values = [threadId, after, before, limit, maxBytes, key];
    const rows = await this.#connections.query<{ head: string; seq: string | null; body: string }>(
      this.#sql.read,
      values,
    );
    if (rows.length === 0) throw threadNotFound(threadId);
    const events = rows.filter(({ seq }) => seq !== null);
    const missing = events.findIndex(({ seq }, index) => Number(seq) !== after + 1 + index);
    if (missing >= 0)
      throw new SingletreeError(
        'log_corrupt',
        `Event ${after + 1 + missing} of the thread "${threadId}" is missing in the database: nothing was changed. Restore it from a copy.`,
        { details: { threadId, seq: after + 1 + missing } },
      );
    return events.map(({ body }) => body);
  }
}
