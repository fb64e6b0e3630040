import type { Connections } from './connections.ts';
import type { Statement } from './value-query.ts';

/** How many rows are removed before others get their turn. */
const rowsAtOnce = 5_000;

/** Removes what deleted threads leave, in small steps, and then their parents that nothing refers to any more. */
export class DeletedThreads {
  readonly #connections: Connections;
  readonly #all: Statement;
  readonly #removeSome: Statement;

  constructor(connections: Connections, schema: string) {
    this.#connections = connections;
    this.#all = { name: 'deleted', text: `SELECT key FROM ${schema}.threads WHERE id IS NULL` };
    this.#removeSome = { name: 'remove_some', text: `SELECT ${schema}.remove_some($1, $2) AS key` };
  }

  /** Resolves when only events that branches refer to remain. */
  async remove(deleted: string): Promise<void> {
    for (let key: string | null = deleted; key !== null; ) {
      const rows: { key: string | null }[] = await this.#connections.query(this.#removeSome, [key, rowsAtOnce]);
      key = rows[0]?.key ?? null;
    }
  }

  /** Continues what a process that ended did not remove; never rejects. */
  async removeRest(): Promise<void> {
    try {
      for (const { key } of await this.#connections.query<{ key: string }>(this.#all, [])) await this.remove(key);
    } catch {
      // The next process to open the log continues.
    }
  }
}
