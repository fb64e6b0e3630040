import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, SqliteLog } from 'singletree/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCommand } from './support/command.ts';
import { runSql, testDatabase } from './support/services.ts';

const { singletree } = builtCommand();
const folder = mkdtempSync(join(tmpdir(), 'singletree-store-'));
const file = (name: string) => join(folder, name);
const database = await testDatabase();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database?.drop();
});

beforeAll(async () => {
  const log = await SqliteLog.open(file('log.db'));
  await log.createThread({ id: 'parent', title: 'Parent' });
  await log.append('parent', [
    { type: 'user', runId: 'u', content: 'Hi.' },
    { type: 'harness_start', runId: 'r', agentId: 'a', parentId: 'u:user' },
    { type: 'text', runId: 'r', id: 't', content: 'Hello.' },
    { type: 'harness_end', runId: 'r', agentId: 'a', reason: 'complete' },
  ]);
  await log.branch('parent', 1, { id: 'child' });
  await log.close();
});

const json = (text: string) => JSON.parse(text) as unknown;

describe('singletree store', () => {
  it('copies a store, and copies nothing when it is made again', () => {
    const args = ['store', 'copy', `file:${file('log.db')}`, `file:${file('copy.db')}`, '--json'];
    const first = singletree(...args);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(json(first.stdout)).toMatchObject({ threads: 2, unchanged: 0, events: 4 });
    expect(json(singletree(...args).stdout)).toMatchObject({ threads: 2, unchanged: 2, events: 0 });
    expect(singletree('store', 'check', '--db', file('copy.db'))).toMatchObject({
      status: 0,
      stdout: `file:${file('copy.db')}: 2 threads, 5 events, 0 raw lines, 0 problems.\n`,
    });
  });

  it('reports a damaged event with exit code 1', async () => {
    singletree('store', 'copy', `file:${file('log.db')}`, `file:${file('damaged.db')}`);
    const { default: Database } = await import('libsql');
    const db = new Database(file('damaged.db'));
    db.exec('UPDATE events SET body = \'{"type":"text"}\' WHERE body LIKE \'%Hello.%\'');
    db.close();
    const { status, stdout } = singletree('store', 'check', '--db', file('damaged.db'), '--json');
    expect(status).toBe(1);
    expect(json(stdout)).toMatchObject({ threads: 2, problems: [{ threadId: 'parent', seq: 3 }] });
  });

  it.each([
    ['a file that does not exist', ['check', '--db', file('none.db')]],
    ['a store without a scheme', ['copy', 'log.db', 'memory:']],
    ['a copy to itself', ['copy', `file:${file('log.db')}`, `file:${file('log.db')}`]],
    ['an unknown command', ['vacuum']],
    ['nothing', []],
  ])('refuses %s with exit code 2', (_, args) => {
    const { status, stderr } = singletree('store', ...args);
    expect(status).toBe(2);
    expect(stderr).not.toBe('');
  });

  it('prints no password of a database that cannot be reached', () => {
    const { status, stderr } = singletree('store', 'migrate', '--store', 'postgres://ann:hunter22@127.0.0.1:1/x');
    expect(status).toBe(1);
    expect(stderr).toMatch(/store_unreachable/);
    expect(stderr).not.toContain('hunter22');
  });
});

describe.skipIf(database === undefined)('singletree store with PostgreSQL', () => {
  const url = database?.url ?? '';

  it('migrates a database, copies a file to it and back, and rebuilds its messages and what is open', async () => {
    expect(singletree('store', 'migrate', '--store', url)).toMatchObject({ status: 0 });
    expect(singletree('store', 'copy', `file:${file('log.db')}`, url)).toMatchObject({ status: 0 });
    expect(singletree('store', 'copy', url, `file:${file('back.db')}`)).toMatchObject({ status: 0 });
    const [log, back] = [await SqliteLog.open(file('log.db')), await SqliteLog.open(file('back.db'))];
    expect(await back.readTexts('parent')).toEqual(await log.readTexts('parent'));
    expect(await back.listThreads()).toEqual(await log.listThreads());
    await Promise.all([log.close(), back.close()]);
    const database = await openStore(url);
    await database.append('parent', [{ type: 'run_requested', runId: 'open', agentId: 'a', parentId: 'u:user' }]);
    // It derives what is pending, which would write messages of the thread again.
    expect(singletree('store', 'check', '--store', url)).toMatchObject({ status: 0 });
    for (const damage of ['DELETE FROM singletree.messages', 'DELETE FROM singletree.open_things']) {
      await runSql(url, damage);
      expect(singletree('store', 'check', '--store', url)).toMatchObject({ status: 1 });
      expect(singletree('store', 'check', '--rebuild', '--store', url)).toMatchObject({ status: 0 });
      expect(singletree('store', 'check', '--store', url)).toMatchObject({ status: 0 });
    }
    expect((await database.getThread('parent'))?.open).toMatchObject([{ kind: 'run', id: 'open' }]);
    await database.close();
  });
});
