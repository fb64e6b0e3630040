import { afterAll, describe, it } from 'vitest';
import { testDatabase, testService } from '../../../test/support/services.ts';
import { logConformance } from '../../testing/log-conformance.ts';
import type { EventLog } from '../event-log.ts';
import { PostgresLog } from '../postgres/postgres-log.ts';
import { RedisFeed } from './redis-feed.ts';

const database = await testDatabase();
const redis = await testService('redis');
afterAll(() => database?.drop());

describe.skipIf(database === undefined || redis === undefined)('PostgresLog with Redis', () => {
  const schemas = new Map<EventLog, string>();
  const openAt = async (schema: string, { now }: { now: () => number }) => {
    const live = await RedisFeed.open(redis ?? '', { blockMs: 500, commandMs: 500 });
    const log = await PostgresLog.open(database?.url ?? '', { now, schema, pollMs: 1_000, live, connections: 4 });
    schemas.set(log, schema);
    return log;
  };
  logConformance(
    { describe, it },
    {
      open: async options => openAt(`live_${schemas.size}`, options),
      reopen: async (log, options) => {
        await log.close();
        return openAt(schemas.get(log) ?? '', options);
      },
      join: async (log, options) => openAt(schemas.get(log) ?? '', options),
    },
  );
});
