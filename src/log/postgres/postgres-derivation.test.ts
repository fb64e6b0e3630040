import { Client } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/support/services.ts';
import { PostgresLog } from './postgres-log.ts';

const database = await testDatabase();

describe.skipIf(database === undefined)('what a PostgreSQL log derives from events', () => {
  const url = database?.url ?? '';
  afterAll(() => database?.drop());

  it('is complete up to a search while others keep appending', async () => {
    const schema = 'growing';
    const log = await PostgresLog.open(url, { schema });
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      // Whenever a thread is derived from completely, it is marked again, as by the next append.
      await client.query(`
        CREATE FUNCTION ${schema}.mark_again() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO ${schema}.backlog (thread, after) SELECT key, seq FROM ${schema}.threads WHERE key = OLD.thread;
          RETURN NULL;
        END $$;
        CREATE TRIGGER again AFTER DELETE ON ${schema}.backlog FOR EACH ROW EXECUTE FUNCTION ${schema}.mark_again()`);
      const { id } = await log.createThread();
      await log.append(id, [{ type: 'user', runId: 'one', content: 'apple' }]);
      const { hits, isComplete } = await log.search({ text: 'apple' });
      expect(hits).toMatchObject([{ seq: 1 }]);
      expect(isComplete).toBe(true);
    } finally {
      await client.end();
      await log.close();
    }
  });

  it('is indexed in parts, until nothing is left', async () => {
    const log = await PostgresLog.open(url, { schema: 'indexed' });
    try {
      const { id } = await log.createThread();
      await log.append(id, [{ type: 'user', runId: 'one', content: 'apple' }]);
      expect(await log.indexSome()).toEqual({ threads: 0, hasMore: false });
      await log.createThread({ title: 'Pear' });
      expect(await log.indexSome()).toEqual({ threads: 0, hasMore: false });
    } finally {
      await log.close();
    }
  });

  it('includes what was appended while others search', async () => {
    const log = await PostgresLog.open(url, { schema: 'searched' });
    try {
      const { id } = await log.createThread();
      for (let round = 1; round <= 10; round++) {
        await log.append(id, [{ type: 'user', runId: `run ${round}`, content: `apple pear${round}` }]);
        const earlier = log.search({ text: 'apple' });
        await log.append(id, [{ type: 'user', runId: `late ${round}`, content: `plum${round}` }]);
        const { hits } = await log.search({ text: `plum${round}` });
        expect(hits).toMatchObject([{ seq: 2 * round }]);
        expect((await earlier).hits.length).toBeGreaterThan(0);
      }
    } finally {
      await log.close();
    }
  });
});
