import { Client } from 'pg';
import { afterAll, describe, it } from 'vitest';
import { testDatabase } from '../../../test/support/services.ts';
import { logConformance } from '../../testing/log-conformance.ts';
import type { EventLog } from '../event-log.ts';
import { PostgresLog } from './postgres-log.ts';

const database = await testDatabase();

describe.skipIf(database === undefined)('PostgresLog', () => {
  const schemas = new Map<EventLog, string>();
  afterAll(() => database?.drop());

  const openAt = async (schema: string, { now }: { now: () => number }) => {
    const log = await PostgresLog.open(database?.url ?? '', { now, schema });
    schemas.set(log, schema);
    return log;
  };
  /** The bytes of events and their contents: the size of a table shrinks only when the database cleans it. */
  const bodyBytes = async (schema: string) => {
    const client = new Client({ connectionString: database?.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ bytes: string }>(
        `SELECT coalesce(sum(octet_length(body)), 0) AS bytes FROM (SELECT body FROM ${schema}.events UNION ALL SELECT body FROM ${schema}.contents) b`,
      );
      return Number(rows[0]?.bytes);
    } finally {
      await client.end();
    }
  };
  logConformance(
    { describe, it },
    {
      open: async options => openAt(`law_${schemas.size}`, options),
      reopen: async (log, options) => {
        await log.close();
        return openAt(schemas.get(log) ?? '', options);
      },
      join: async (log, options) => openAt(schemas.get(log) ?? '', options),
      storedBytes: log => bodyBytes(schemas.get(log) ?? ''),
    },
  );
});
