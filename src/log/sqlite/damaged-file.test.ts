import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SqliteLog } from './sqlite-log.ts';

const built = new URL('../../../dist/log/index.js', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'singletree-damaged-'));
afterAll(() => rmSync(folder, { recursive: true }));

const event = (content: string) => ({ type: 'text', runId: 'run', id: 'id', content }) as const;

/** Writes a log with two threads and returns its bytes. */
async function writeLog(path: string): Promise<Buffer> {
  const log = new SqliteLog(path);
  for (const id of ['a', 'b']) {
    await log.createThread({ id, title: `title of ${id}` });
    for (let n = 1; n <= 20; n++) await log.append(id, [event(`${id}:${n}:${'word '.repeat(50)}`)]);
    await log.appendRaw(id, 'run', [
      { n: 1, ts: '2025-01-01T00:00:00Z', stream: 'stdout', line: Buffer.from(`raw ${id}`) },
    ]);
  }
  await log.close();
  return readFileSync(path);
}

let files = 0;
async function withDamage(text: string, damage: (bytes: Buffer, at: number) => void): Promise<SqliteLog> {
  const path = join(folder, `${files++}.db`);
  const bytes = await writeLog(path);
  const at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(0);
  damage(bytes, at);
  const damaged = join(folder, `${files++}.db`);
  writeFileSync(damaged, bytes);
  return new SqliteLog(damaged);
}

/** 210 where everything is checked, fewer where somebody waits for the tests. */
const damages = process.env['CI'] ? 210 : 60;

describe('a damaged event', () => {
  it.each([
    ['is not UTF-8', (bytes: Buffer, at: number) => void (bytes[at] = 0xff)],
    ['is not JSON', (bytes: Buffer, at: number) => void bytes.write('"', at)],
    ['is in another place', (bytes: Buffer, at: number) => void bytes.write('8', bytes.indexOf('"seq":7', at) + 6)],
  ])('is named by the error when it %s, and hinders nothing else', async (_, damage) => {
    const log = await withDamage('a:7:', damage);
    await expect(log.read('a')).rejects.toMatchObject({
      code: 'log_corrupt',
      message: expect.stringContaining('event 7 of the thread "a"'),
      details: { threadId: 'a', seq: 7 },
    });
    expect(await log.read('a', { before: 7 })).toHaveLength(6);
    expect(await log.read('a', { after: 7 })).toHaveLength(13);
    expect(await log.read('b')).toHaveLength(20);
    expect(await log.append('a', [event('new')])).toEqual({ firstSeq: 21, lastSeq: 21 });
    await log.close();
  });
});

describe('a damaged thread', () => {
  it('is named by the error, and its events and other threads are read as before', async () => {
    const log = await withDamage('title of a', (bytes, at) => void (bytes[at] = 0xff));
    const error = { code: 'log_corrupt', details: { threadId: 'a' } };
    await expect(log.getThread('a')).rejects.toMatchObject(error);
    await expect(log.updateThread('a', { title: 'new' })).rejects.toMatchObject(error);
    await expect(log.append('a', [event('new')], { metadata: { key: 1 } })).rejects.toMatchObject(error);
    expect(await log.read('a')).toHaveLength(20);
    expect(await log.getThread('b')).toMatchObject({ title: 'title of b' });
    await log.close();
  });
});

/** Damages a file in many ways, one after the other, and does everything a log can do with each. */
const program = `
  import { copyFileSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
  import { SqliteLog } from ${JSON.stringify(built)};
  const [folder, from, to] = [process.argv[1], Number(process.argv[2]), Number(process.argv[3])];
  const event = content => ({ type: 'text', runId: 'run', id: 'id', content });
  const threads = ['a', 'b', 'c', 'd'];
  const base = folder + '/base.db';
  const log = new SqliteLog(base);
  for (const id of threads) {
    if (id === 'd') await log.branch('a', 10, { id });
    else await log.createThread({ id, title: 'title', metadata: { key: { a: 1 } } });
    await log.append(id, [{ type: 'run_requested', runId: '1', agentId: 'a', parentId: 'u:user' }]);
    for (let n = 0; n < 20; n++) await log.append(id, [event(n + ' wörd'.repeat(n % 7 === 0 ? 900 : 10))], { once: 'key' + n });
    await log.appendRaw(id, 'run', [{ n: 1, ts: '2025-01-01T00:00:00Z', stream: 'stdout', line: new Uint8Array(3000) }]);
    await log.acquireLease('thread:' + id, { owner: 'owner', ttlMs: 1e9 });
  }
  const unwritten = [readFileSync(base), readFileSync(base + '-wal')];
  await log.close();
  const whole = readFileSync(base);
  for (let number = from; number < to; number++) {
    let seed = number * 7919 + 1;
    const random = below => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32 * below | 0;
    for (let n = 0; n < 5; n++) random(2);
    const flip = (bytes, length = bytes.length) => {
      for (let n = random(4) + 1; n > 0; n--) bytes[random(length)] = random(3) === 0 ? random(256) : 128 + random(128);
    };
    let bytes = Buffer.from(whole);
    let wal;
    const page = random(bytes.length / 4096) * 4096;
    const kind = number % 7;
    if (kind === 0) flip(bytes);
    if (kind === 1) flip(bytes, 3 * 4096);
    if (kind === 2) flip(bytes.subarray(page, page + 4096));
    if (kind === 3) bytes.fill(random(2) * random(256), page, page + 4096);
    if (kind === 4) bytes = bytes.subarray(0, random(bytes.length));
    if (kind >= 5) [bytes, wal] = unwritten.map(each => Buffer.from(each));
    if (kind === 5) flip(wal);
    if (kind === 6) wal = wal.subarray(0, random(wal.length));
    const path = folder + '/damaged.db';
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    writeFileSync(path, bytes);
    if (wal) writeFileSync(path + '-wal', wal);
    writeSync(1, number + ' ');
    let damaged;
    const attempt = async action => {
      try {
        return await action();
      } catch (error) {
        const expected = ['log_corrupt', 'log_foreign', 'log_newer', 'thread_not_found', 'lease_held'];
        if (!expected.includes(error.code)) throw error;
      }
    };
    await attempt(async () => (damaged = new SqliteLog(path)));
    if (damaged === undefined) continue;
    await attempt(() => damaged.listThreads());
    await attempt(() => damaged.listThreads({ open: 'run' }));
    for (const id of threads) {
      await attempt(() => damaged.getThread(id));
      await attempt(() => damaged.read(id));
      await attempt(() => damaged.readRaw(id, 'run'));
      await attempt(() => damaged.append(id, [event('new')], { metadata: { key: 1 } }));
      await attempt(() => damaged.acquireLease('thread:' + id, { owner: 'another', ttlMs: 1 }));
    }
    await attempt(() => damaged.updateThread('c', { title: 'new' }));
    await attempt(() => damaged.deleteThread('b'));
    await damaged.close();
  }`;

/** Resolves when all of the damaged files were tried; otherwise the error says which one ended the process. */
function tryDamages(from: number, to: number): Promise<void> {
  const own = mkdtempSync(join(folder, 'tried-'));
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, own, String(from), String(to)]);
  let printed = '';
  let complaint = '';
  child.stdout.on('data', chunk => (printed += chunk));
  child.stderr.on('data', chunk => (complaint += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const last = printed.trim().split(' ').at(-1);
      if (code === 0 && Number(last) === to - 1) resolve();
      else reject(new Error(`Damage ${last} ended the process (${code ?? signal}): ${complaint}`));
    });
  });
}

describe('a file that is damaged anywhere', () => {
  it('never ends the process: everything works or is refused with a reason', async () => {
    await Promise.all([tryDamages(0, damages / 2), tryDamages(damages / 2, damages)]);
  });
});
