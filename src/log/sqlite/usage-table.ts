import { usageNames } from '../../events/usage-sum.ts';
import type { UsedInCall } from '../derived/thread-derivation.ts';
import { storedDays, type UsageQuery, type UsageRow } from '../derived/usage-totals.ts';
import { command, type Connection, query, type SqlValue } from './statement.ts';
import { asJoinedBytes, textsIn } from './stored-text.ts';

const columns = ['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'cost'];
const keys = ['resource', 'day', 'agent', 'model'];

/** What model calls used, one row for each resource, day, agent and model. */
export class UsageTable {
  readonly #add;
  readonly #rows;

  constructor(db: Connection) {
    const sums = columns.map(
      name =>
        `${name} = CASE WHEN excluded.${name} IS NULL THEN ${name} ELSE coalesce(${name}, 0) + excluded.${name} END`,
    );
    this.#add = command(
      db,
      `INSERT INTO used (${[...keys, 'calls', ...columns].join()}) VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (${keys.join()}) DO UPDATE SET calls = calls + 1, ${sums.join()}`,
    );
    const numbers = ['calls', ...columns].map(name => `CAST(${name} AS REAL)`);
    this.#rows = query(
      db,
      `SELECT ${asJoinedBytes(keys)}, ${numbers.join()} FROM used WHERE day >= ?1 AND day <= ?2 AND (?3 IS NULL OR resource = ?3)`,
    );
  }

  add(resource: string, { day, agentId, modelId, counts: used }: UsedInCall): void {
    const values: SqlValue[] = usageNames.map(name => used[name] ?? null);
    this.#add.run(resource, day, plain(agentId), plain(modelId), ...values);
  }

  rows(query: UsageQuery): UsageRow[] {
    const { from, to } = storedDays(query);
    const { resourceId } = query;
    return (this.#rows.all(from, to, resourceId ?? null) as [unknown, number, ...(number | null)[]][]).flatMap(row => {
      const [texts, modelCalls, ...numbers] = row;
      const [resource, day, agentId, modelId] = textsIn(texts, keys.length) ?? [];
      if (resource === undefined || day === undefined || agentId === undefined || modelId === undefined) return [];
      const used = Object.fromEntries(
        usageNames.flatMap((name, index) => (numbers[index] == null ? [] : [[name, numbers[index]]])),
      );
      const sum = { inputTokens: 0, outputTokens: 0, ...used };
      return [{ resourceId: resource, day, agentId, modelId, modelCalls, counts: sum }];
    });
  }
}

/** The name without control characters, which separate the names of a row. */
function plain(name: string): string {
  return name.replaceAll(/\p{Cc}|\p{Cs}/gu, ' ');
}
