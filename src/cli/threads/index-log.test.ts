import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MemoryLog } from '../../log/memory-log.ts';
import { SqliteLog } from '../../log/sqlite/sqlite-log.ts';
import { indexLog } from './queries.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-index-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a log before it is searched', () => {
  it('is indexed to its end, with lines of progress', async () => {
    const path = join(folder, 'log.db');
    const writer = new SqliteLog(path);
    await writer.createThread({ id: 'a' });
    for (let at = 0; at < 5_000; at += 1_000)
      await writer.append(
        'a',
        Array.from({ length: 1_000 }, (_, n) => ({ type: 'user', runId: `u${at + n}`, content: `apple ${at + n}` })),
      );
    await writer.close();
    const log = new SqliteLog(path);
    const lines: string[] = [];
    await indexLog(log, line => lines.push(line));
    expect(lines).toEqual(['singletree: indexing messages: 1 thread left\n']);
    expect(await log.search({ text: '4999' })).toMatchObject({ hits: [{ seq: 5_000 }], isComplete: true });
    await log.close();
  });

  it('reports nothing when nothing is left, or the store has no index', async () => {
    const log = new SqliteLog(join(folder, 'empty.db'));
    const lines: string[] = [];
    await indexLog(log, line => lines.push(line));
    await indexLog(new MemoryLog(), line => lines.push(line));
    expect(lines).toEqual([]);
    await log.close();
  });
});
