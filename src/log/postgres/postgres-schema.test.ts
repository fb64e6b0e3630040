import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runSql, testDatabase } from '../../../test/support/services.ts';
import { PostgresLog } from './postgres-log.ts';
import { schemaVersion } from './schema.ts';

const database = await testDatabase();

describe.skipIf(database === undefined)('the schema of a PostgreSQL log', () => {
  const url = database?.url ?? '';
  const client = new Client({ connectionString: url });
  const opened: PostgresLog[] = [];
  beforeAll(() => client.connect());
  afterEach(() => Promise.all(opened.splice(0).map(log => log.close())));
  afterAll(async () => {
    await client.end();
    await database?.drop();
  });

  const open = async (schema: string) => {
    const log = await PostgresLog.open(url, { schema });
    opened.push(log);
    return log;
  };
  const tablesIn = async (schema: string) =>
    (await client.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema])).rowCount;

  it('is created once when several servers open it at the same time', async () => {
    const logs = await Promise.all(Array.from({ length: 5 }, () => open('together')));
    const { rows } = await client.query('SELECT version FROM together.singletree_log');
    expect(rows).toEqual([{ version: schemaVersion }]);
    for (const [index, log] of logs.entries()) await log.createThread({ id: `t${index}` });
    expect(await logs[0]?.listThreads()).toHaveLength(5);
  });

  it('keeps logs of other schemas apart', async () => {
    const [a, b] = [await open('one'), await open('two')];
    await a.createThread({ id: 'same', title: 'a' });
    await b.createThread({ id: 'same', title: 'b' });
    expect([(await a.getThread('same'))?.title, (await b.listThreads()).length]).toEqual(['a', 1]);
  });

  it('of an older version has the notes of open runs and relays moved to the index', async () => {
    const request = { agentId: 'asking', parentId: 'u:user', model: 'a/b' };
    const run = JSON.stringify({ runId: 'run 1', ...request, owner: 'host/1/old' });
    const older = await open('older');
    await older.createThread({ id: 'a', metadata: { kept: true } });
    await older.append('a', [
      { type: 'user', runId: 'u', content: 'Ask me' },
      { type: 'relay', runId: 'run 1', id: 'q', relayKind: 'question', question: '?' },
      { type: 'relay', runId: 'run 1', id: 'answered', relayKind: 'question', question: '?' },
      { type: 'relay_resolved', runId: 'run 1', relayId: 'answered', outcome: 'answer' },
    ]);
    await older.close();
    const note = (name: string, value: string) =>
      `INSERT INTO older.metadata (thread, hash, name, value) SELECT key, sha256('${name}'), '"${name}"', '${value}' FROM older.threads`;
    for (const statement of [
      'DROP TABLE older.open_things CASCADE',
      `CREATE INDEX metadata_of_open_runs ON older.metadata (thread) WHERE starts_with(name, '"run:')`,
      `CREATE INDEX metadata_of_relays ON older.metadata (thread) WHERE starts_with(name, '"relay:')`,
      note('run:run 1', run),
      `CREATE INDEX metadata_of_follow_ups ON older.metadata (thread) WHERE starts_with(name, '"follow-up:')`,
      note('relay:q', '{"runId":"run 1"}'),
      note('follow-up:m', '{"content":"And then?","delivery":"follow_up","waitsFor":"run 1","order":"1"}'),
      note('relay:answered', '{"runId":"run 1"}'),
      `UPDATE older.singletree_log SET version = ${schemaVersion - 6}`,
    ])
      await client.query(statement);
    const log = await open('older');
    expect(await log.getThread('a')).toMatchObject({
      seq: 6,
      metadata: { kept: true },
      open: [
        { kind: 'relay', id: 'q', runId: 'run 1', seq: 2 },
        { kind: 'run', id: 'run 1', runId: 'run 1', seq: 5, request, owner: 'host/1/old' },
        { kind: 'message', id: 'm', runId: 'run 1', seq: 6 },
      ],
    });
    expect(await log.read('a', { after: 4 })).toMatchObject([
      { type: 'run_requested', runId: 'run 1', ...request },
      { type: 'message_queued', id: 'm', content: 'And then?', delivery: 'follow_up', agent: 'asking', order: 0 },
    ]);
    expect(await log.append('a', [{ type: 'harness_end', runId: 'run 1', agentId: 'asking' }])).toMatchObject({
      lastSeq: 7,
    });
    expect(await log.listThreads({ open: 'run' })).toEqual([]);
  });

  it('is refused when a newer version wrote it, and stays as it is', async () => {
    await (await open('newer')).close();
    await client.query('UPDATE newer.singletree_log SET version = version + 1');
    await expect(open('newer')).rejects.toMatchObject({
      code: 'log_newer',
      details: { version: schemaVersion + 1, known: schemaVersion },
    });
    expect((await client.query('SELECT version FROM newer.singletree_log')).rows).toEqual([
      { version: schemaVersion + 1 },
    ]);
  });

  it('is refused when the tables there are not those of a log, and nothing is added', async () => {
    await runSql(url, 'CREATE SCHEMA foreign_tables CREATE TABLE threads (id integer)');
    await expect(open('foreign_tables')).rejects.toMatchObject({ code: 'log_foreign' });
    expect(await tablesIn('foreign_tables')).toBe(1);
  });

  it('takes only plain names, and no unknown option', async () => {
    for (const schema of ['', 'a b', 'a"; DROP TABLE x', 'Upper', 'pg_catalog', 'x'.repeat(64)])
      await expect(open(schema)).rejects.toMatchObject({ code: 'invalid_argument' });
    const misspelt = { schemas: 'x' } as object;
    await expect(PostgresLog.open(url, misspelt)).rejects.toThrow(/did you mean `schema`/);
  });

  it('is not created where the role may not, with the reason', async () => {
    await runSql(url, 'CREATE ROLE reader LOGIN');
    const asReader = new URL(url);
    asReader.username = 'reader';
    asReader.password = 'secret';
    const opening = PostgresLog.open(asReader.href, { schema: 'forbidden' });
    await expect(opening).rejects.toMatchObject({
      code: 'log_unavailable',
      message: expect.stringContaining('permission denied'),
    });
    await expect(opening).rejects.not.toThrow(/secret/);
    await runSql(url, 'DROP ROLE reader');
  });
});
