import { usageNames } from '../../events/usage-sum.ts';
import type { UsedInCall } from '../derived/thread-derivation.ts';
import { asksForTools, storedDays, type UsageQuery, type UsageRow } from '../derived/usage-totals.ts';
import { command, type Connection, query, type SqlValue } from './statement.ts';
import { asJoinedBytes, textsIn } from './stored-text.ts';

const columns = ['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'cost'];
const sums = [...columns, 'failed', 'tool_ms'];
const keys = ['resource', 'day', 'agent', 'model', 'thread', 'tool'];

/** The usage of model and tool calls, with one row for each resource, day, agent, model, thread and tool. */
export class UsageTable {
  readonly #add;
  readonly #rows;

  constructor(db: Connection) {
    const added = sums.map(
      name =>
        `${name} = CASE WHEN excluded.${name} IS NULL THEN ${name} ELSE coalesce(${name}, 0) + excluded.${name} END`,
    );
    const places = [...keys, ...sums].map(() => '?').join();
    this.#add = command(
      db,
      `INSERT INTO used (${[...keys, ...sums, 'calls'].join()}) VALUES (${places}, 1)
       ON CONFLICT (${keys.join()}) DO UPDATE SET calls = calls + 1, ${added.join()}`,
    );
    const numbers = ['calls', ...sums];
    this.#rows = query(
      db,
      `SELECT ${asJoinedBytes(keys)}, ${numbers.map(name => `CAST(${name} AS REAL)`).join()} FROM (
         SELECT resource, day, agent, model, CASE WHEN ?4 THEN thread ELSE '' END AS thread, tool,
           ${numbers.map(name => `sum(${name}) AS ${name}`).join()}
         FROM used WHERE day >= ?1 AND day <= ?2 AND (?3 IS NULL OR resource = ?3) AND (tool <> '') = ?5
         GROUP BY 1, 2, 3, 4, 5, 6
       )`,
    );
  }

  add(
    resource: string,
    threadId: string,
    { day, agentId, modelId, tool, counts: used, failedCalls, toolMs }: UsedInCall,
  ): void {
    const values: SqlValue[] = usageNames.map(name => used[name] ?? null);
    this.#add.run(resource, day, plain(agentId), plain(modelId), threadId, plain(tool), ...values, failedCalls, toolMs);
  }

  rows(query: UsageQuery): UsageRow[] {
    const { from, to } = storedDays(query);
    const { resourceId, by = [] } = query;
    const flags = [by.includes('thread'), asksForTools(query)].map(Number) as [number, number];
    return (
      this.#rows.all(from, to, resourceId ?? null, ...flags) as [unknown, number, ...(number | null)[]][]
    ).flatMap(row => {
      const [joined, calls, ...numbers] = row;
      const texts = textsIn(joined, keys.length);
      if (texts === undefined) return [];
      const [resource = '', day = '', agentId = '', modelId = '', threadId = '', tool = ''] = texts;
      const used = Object.fromEntries(
        usageNames.flatMap((name, index) => (numbers[index] == null ? [] : [[name, numbers[index]]])),
      );
      const counts = { inputTokens: 0, outputTokens: 0, ...used };
      const [failedCalls, toolMs] = numbers.slice(usageNames.length).map(Number) as [number, number];
      return [{ resourceId: resource, threadId, day, agentId, modelId, tool, calls, counts, failedCalls, toolMs }];
    });
  }
}

/** The name without control characters, which separate the names of a row. */
function plain(name: string): string {
  return name.replaceAll(/\p{Cc}|\p{Cs}/gu, ' ');
}
