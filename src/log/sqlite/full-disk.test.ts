import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SingletreeError } from '../../base/singletree-error.ts';
import { SqliteLog } from './sqlite-log.ts';

const built = new URL('../../../dist/log/index.js', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'singletree-full-'));
afterAll(() => rmSync(folder, { recursive: true }));

const event = (content: string) => ({ type: 'text', runId: 'run', id: 'id', content }) as const;

describe('a file that has no room left', () => {
  it('refuses what does not fit as a whole with log_full, and takes it when there is room again', async () => {
    const path = join(folder, 'small.db');
    const log = new SqliteLog(path, { maxFileBytes: 260_000 });
    await log.createThread({ id: 'old' });
    await log.append('old', [event('x'.repeat(100_000))]);
    await log.createThread({ id: 'a' });
    const batch = [event('first'), event('y'.repeat(100_000)), event('last')];
    const full = { code: 'log_full', message: expect.stringContaining(path) };
    await expect(log.append('a', batch, { once: 'key', metadata: { changed: true } })).rejects.toMatchObject(full);
    expect(await log.read('a')).toEqual([]);
    expect(await log.getThread('a')).toMatchObject({ seq: 0, metadata: {} });
    await log.append('a', [event('short')]);
    await log.deleteThread('old');
    expect(await log.append('a', batch, { once: 'key' })).toEqual({ firstSeq: 2, lastSeq: 4 });
    expect(await log.read('a')).toHaveLength(4);
    await log.close();
  });
});

/** Appends until the system refuses to let a file grow, then says what happened. */
const program = `
  import { SqliteLog } from ${JSON.stringify(built)};
  process.on('SIGXFSZ', () => {});
  const log = new SqliteLog(process.argv[1]);
  await log.createThread({ id: 'a' });
  const append = () => log.append('a', [{ type: 'text', runId: 'run', id: 'id', content: 'x'.repeat(50_000) }]);
  let count = 0;
  let refused;
  while (refused === undefined) await append().then(() => count++, error => (refused = error));
  const again = await append().then(() => 'stored', error => error.code);
  const { length } = await log.read('a');
  const closed = await log.close().then(() => 'closed', error => error.code);
  console.log(JSON.stringify({ code: refused.code, again, isWhole: length === count, closed }));`;

describe('a disk that refuses to write', () => {
  it('makes appends fail with log_full; what was acknowledged can be read, and the log can be closed', async () => {
    const path = join(folder, 'limited.db');
    const limited = 'ulimit -f 2000 && exec "$0" --input-type=module -e "$1" "$2"';
    const child = spawn('bash', ['-c', limited, process.execPath, program, path], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    child.stdout.on('data', chunk => (printed += chunk));
    child.stderr.on('data', chunk => (printed += chunk));
    await new Promise(resolve => child.on('close', resolve));
    expect(printed.trim()).toBe('{"code":"log_full","again":"log_full","isWhole":true,"closed":"closed"}');
    const log = new SqliteLog(path);
    expect(SingletreeError.is(await log.append('a', [event('after')]).catch((error: unknown) => error))).toBe(false);
    await log.close();
  });
});
