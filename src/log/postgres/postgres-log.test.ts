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
  logConformance(
    { describe, it },
    {
      open: async options => openAt(`law_${schemas.size}`, options),
      reopen: async (log, options) => {
        await log.close();
        return openAt(schemas.get(log) ?? '', options);
      },
      join: async (log, options) => openAt(schemas.get(log) ?? '', options),
    },
  );
});
