import { checkId, checkRange, checkRawLines, isUsableId, leaseLost, threadNotFound } from '../checks.ts';
import type { Lease, RawLine } from '../event-log.ts';
import type { Connections } from './connections.ts';
import type { Statement } from './value-query.ts';
import { fence } from './leases.ts';

interface RawRow extends Pick<RawLine, 'ts' | 'stream'> {
  /** Null in the only row of a run without such lines. */
  readonly n: string | null;
  readonly line: Uint8Array;
}

interface AppendRow {
  readonly thread: string | null;
  readonly last: string | null;
  /** Whether the last lines are the given ones. */
  readonly is_same: boolean | null;
  readonly is_lost: boolean | null;
}

/** The raw lines of a log. */
export class RawLines {
  readonly #connections: Connections;
  readonly #append: Statement;
  readonly #read: Statement;

  constructor(connections: Connections, schema: string) {
    this.#connections = connections;
    this.#append = {
      name: 'append_raw',
      text: `SELECT * FROM ${schema}.append_raw($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    };
    this.#read = {
      name: 'read_raw',
      text: `SELECT r.n, r.ts, r.stream, r.line FROM ${schema}.threads t LEFT JOIN LATERAL (
               SELECT * FROM ${schema}.raw_lines WHERE thread = t.key AND run = $2 AND n > $3 ORDER BY n LIMIT $4
             ) r ON true WHERE t.id = $1 ORDER BY r.n`,
    };
  }

  /** Checks and copies lines; the returned function appends them. */
  prepare(threadId: string, runId: string, lines: readonly RawLine[], lease?: Lease): () => Promise<void> {
    checkId('run id', runId);
    if (!isUsableId(threadId)) throw threadNotFound(threadId);
    const given = lines.map(({ n, ts, stream, line }) => ({ n, ts, stream, line }));
    const first = given[0]?.n ?? 1;
    checkRawLines(runId, first - 1, given);
    const values = [
      threadId,
      runId,
      first,
      given.map(({ ts }) => ts).join('\n'),
      given.map(({ stream }) => stream).join('\n'),
      given.map(({ line }) => line.byteLength),
      Buffer.concat(given.map(({ line }) => line)),
      ...fence(lease),
    ];
    return async () => {
      let wasRepeated = false;
      const [row] = await this.#connections.query<AppendRow>(this.#append, isRepeated => {
        wasRepeated = isRepeated;
        return values;
      });
      if (row?.thread == null) throw threadNotFound(threadId);
      if (lease !== undefined && row.is_lost === true) throw leaseLost(lease);
      if (!(wasRepeated && row.is_same === true)) checkRawLines(runId, Number(row.last ?? 0), given);
    };
  }

  async read(threadId: string, runId: string, range?: { after?: number; limit?: number }): Promise<RawLine[]> {
    const { after, limit } = checkRange(range);
    if (!isUsableId(threadId)) throw threadNotFound(threadId);
    // No run has an id that is not usable.
    const run = isUsableId(runId) ? runId : '';
    const rows = await this.#connections.query<RawRow>(this.#read, [threadId, run, after, limit]);
    if (rows.length === 0) throw threadNotFound(threadId);
    return rows.flatMap(({ n, ts, stream, line }) =>
      n === null ? [] : [{ n: Number(n), ts, stream, line: new Uint8Array(line) }],
    );
  }
}
