import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { testDatabase } from '../../../test/support/services.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { deleteThreads } from '../retention.ts';
import { PostgresLog } from './postgres-log.ts';

const database = await testDatabase();
const url = database?.url ?? '';

const textEvents = (count: number): AgentEvent[] =>
  Array.from({ length: count }, (_, index) => ({ type: 'text', runId: 'run', id: 'a', content: `secret ${index}` }));
const line = { ts: 'now', stream: 'stdout', line: Uint8Array.of(1) } as const;

describe.skipIf(database === undefined)('deletion from a PostgreSQL log', () => {
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
  /** How many rows each table has, without the empty ones. */
  const rowsIn = async (schema: string) => {
    const found: Record<string, number> = {};
    for (const table of ['threads', 'metadata', 'events', 'once', 'raw_lines', 'messages', 'message_trees']) {
      const { rows } = await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${schema}.${table}`);
      if (rows[0]?.n) found[table] = rows[0].n;
    }
    return found;
  };
  const fill = async (log: PostgresLog, id: string, resourceId: string) => {
    await log.createThread({ id, resourceId, metadata: { note: 1 } });
    await log.append(id, [
      { type: 'user', runId: id, content: 'secret' },
      { type: 'branch_selected', runId: id, nodeId: `${id}:user` },
    ]);
    await log.append(id, textEvents(3), { once: 'key' });
    await log.appendRaw(id, 'run', [{ ...line, n: 1 }]);
  };

  it('leaves nothing of the threads of a resource', async () => {
    const log = await open('resources');
    for (const n of [1, 2, 3]) await fill(log, `ann ${n}`, 'ann');
    await fill(log, 'bob', 'bob');
    await log.readMessages('bob');
    expect(await deleteThreads(log, { resourceId: 'ann' })).toBe(3);
    expect(await rowsIn('resources')).toEqual({
      threads: 1,
      metadata: 1,
      events: 5,
      once: 1,
      raw_lines: 1,
      messages: 2,
    });
    expect(await deleteThreads(log, { before: new Date(Date.now() + 60_000) })).toBe(1);
    expect(await rowsIn('resources')).toEqual({});
  });

  it('removes a long thread in steps, and its parents with the last branch', async () => {
    const log = await open('long');
    const { id } = await log.createThread();
    for (let n = 0; n < 6; n++) await log.append(id, textEvents(2_000));
    const child = await log.branch(id, 5);
    await log.append(child.id, textEvents(10));
    await log.deleteThread(id);
    await log.readMessages(child.id);
    expect(await rowsIn('long')).toEqual({ threads: 2, events: 15, messages: 1 });
    expect((await log.read(child.id)).map(({ seq }) => seq).at(-1)).toBe(15);
    await log.deleteThread(child.id);
    expect(await rowsIn('long')).toEqual({});
  });

  it('is completed by the next server when one ended in the middle', async () => {
    const log = await open('crashed');
    await fill(log, 'a', 'ann');
    await client.query("SELECT crashed.hide_thread('a', NULL)");
    expect(await rowsIn('crashed')).toMatchObject({ threads: 1, events: 5 });
    await open('crashed');
    await vi.waitFor(async () => expect(await rowsIn('crashed')).toEqual({}));
  });

  it('does not remove events that a branch made at the same moment refers to', async () => {
    const [one, other] = [await open('race'), await open('race')];
    for (let round = 0; round < 10; round++) {
      const { id } = await one.createThread();
      await one.append(id, textEvents(5));
      const [, branched] = await Promise.allSettled([one.deleteThread(id), other.branch(id, 3)]);
      if (branched.status === 'rejected') expect(branched.reason).toMatchObject({ code: 'thread_not_found' });
      else expect(await other.read(branched.value.id)).toHaveLength(3);
    }
  });
});
