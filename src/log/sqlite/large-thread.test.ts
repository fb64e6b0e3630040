import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportThread } from '../jsonl.ts';
import { SqliteLog } from './sqlite-log.ts';

const length = 100_000;
const megabyte = 1024 * 1024;

describe('a thread of 100,000 events', () => {
  const folder = mkdtempSync(join(tmpdir(), 'singletree-large-'));
  const path = join(folder, 'log.db');
  let log: SqliteLog;

  beforeAll(async () => {
    log = new SqliteLog(path);
    await log.createThread({ id: 'large' });
    for (let first = 1; first <= length; first += 1000)
      await log.append(
        'large',
        Array.from({ length: 1000 }, (_, n) => ({
          type: 'text',
          runId: 'run',
          id: 'id',
          content: `${first + n}:`.padEnd(1000, '.'),
        })),
      );
  });
  afterAll(async () => {
    await log.close();
    rmSync(folder, { recursive: true });
  });

  it('gives its last page by seq', async () => {
    const head = (await log.getThread('large'))?.seq ?? 0;
    expect(head).toBe(length);
    const page = await log.read('large', { after: head - 50 });
    expect(page.map(event => event.seq)).toEqual(Array.from({ length: 50 }, (_, n) => length - 49 + n));
  });

  it('is exported in flat memory', async () => {
    const before = process.memoryUsage().heapUsed;
    let lines = 0;
    let highest = 0;
    for await (const line of exportThread(log, 'large')) {
      lines++;
      if (!line.includes(`"${lines}:.`)) throw new Error(`line ${lines} is ${line.slice(0, 80)}`);
      if (lines % 5000 === 0) highest = Math.max(highest, process.memoryUsage().heapUsed);
    }
    expect(lines).toBe(length);
    expect(highest - before).toBeLessThan(64 * megabyte);
  });

  it('is tailed in flat memory', async () => {
    const before = process.memoryUsage().heapUsed;
    let highest = 0;
    for await (const { seq } of log.tail('large')) {
      if (seq % 5000 === 0) highest = Math.max(highest, process.memoryUsage().heapUsed);
      if (seq === length) break;
    }
    expect(highest - before).toBeLessThan(64 * megabyte);
  });

  it('is branched without copying an event', async () => {
    const rows = () => {
      const db = new Database(path);
      try {
        return db.prepare('SELECT count(*) FROM events').raw().get();
      } finally {
        db.close();
      }
    };
    const before = rows();
    const { id } = await log.branch('large', length - 1);
    expect(rows()).toEqual(before);
    expect((await log.read(id, { after: length - 3 })).map(event => event.seq)).toEqual([length - 2, length - 1]);
  });
});
