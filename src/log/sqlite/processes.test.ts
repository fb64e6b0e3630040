import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { SqliteLog } from './sqlite-log.ts';

const built = new URL('../../../dist/log/index.js', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'singletree-processes-'));
afterAll(() => rmSync(folder, { recursive: true }));

let path: string;
let files = 0;
beforeEach(() => {
  path = join(folder, `${files++}.db`);
});

/** Runs a program in another process on the file; resolves with what it printed when it ends without an error. */
function inAnotherProcess(program: string): Promise<string> {
  const head = `import { SqliteLog } from ${JSON.stringify(built)};
    const log = new SqliteLog(${JSON.stringify(path)}, { pollMs: 5 });
    const event = content => ({ type: 'text', runId: 'child', id: 'id', content });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${head}${program}; await log.close();`]);
  let printed = '';
  let complaint = '';
  child.stdout.on('data', chunk => (printed += chunk));
  child.stderr.on('data', chunk => (complaint += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => (code === 0 ? resolve(printed) : reject(new Error(`${code}: ${complaint}`))));
  });
}

const event = (content: string) => ({ type: 'text', runId: 'parent', id: 'id', content }) as const;
const written = (events: LoggedEvent[], runId: string) =>
  events.flatMap(each => (each.type === 'text' && each.runId === runId ? [each.content] : []));
const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1));

describe('two processes on one file', () => {
  it('append at once: one sequence without a gap, each in its own order, and a tail sees both', async () => {
    const log = new SqliteLog(path, { pollMs: 5 });
    await log.createThread({ id: 'a' });
    const child = inAnotherProcess(`
      for (let n = 1; n <= 300; n++) {
        await log.append('a', [event(String(n))]);
        await new Promise(resolve => setImmediate(resolve));
      }`);
    const seen: LoggedEvent[] = [];
    let own = Promise.resolve();
    for await (const next of log.tail('a')) {
      seen.push(next);
      if (next.seq === 1)
        own = (async () => {
          for (const number of numbers(300)) await log.append('a', [event(number)]);
        })();
      if (seen.length === 600) break;
    }
    await Promise.all([own, child]);
    expect(seen.map(each => each.seq)).toEqual(numbers(600).map(Number));
    expect(written(seen, 'child')).toEqual(numbers(300));
    expect(written(seen, 'parent')).toEqual(numbers(300));
    expect(await log.read('a')).toEqual(seen);
    await log.close();
  });

  it('hear of each other while they wait', async () => {
    const log = new SqliteLog(path, { pollMs: 5 });
    await log.createThread({ id: 'a' });
    const child = inAnotherProcess(`
      for await (const { runId, content } of log.tail('a')) {
        if (runId === 'parent') await log.append('a', [event('echo ' + content)]);
        if (content === '10') break;
      }`);
    await log.append('a', [event('1')]);
    let round = 1;
    for await (const next of log.tail('a', 1)) {
      if (next.type !== 'text' || next.runId !== 'child') continue;
      expect(next.content).toBe(`echo ${round}`);
      if (round++ === 10) break;
      await log.append('a', [event(String(round))]);
    }
    await child;
    expect((await log.getThread('a'))?.seq).toBe(20);
    await log.close();
  });

  it('end a tail whose thread the other one deletes', async () => {
    const log = new SqliteLog(path, { pollMs: 5 });
    await log.createThread({ id: 'a' });
    const child = inAnotherProcess(`
      for await (const each of log.tail('a')) break;
      await log.deleteThread('a');`);
    await log.append('a', [event('1')]);
    const tailed = (async () => {
      for await (const each of log.tail('a')) expect(each.seq).toBe(1);
    })();
    await expect(tailed).rejects.toMatchObject({ code: 'thread_not_found' });
    await child;
    await log.close();
  });
});

describe('many processes that create one file at once', () => {
  it('all find it usable, and one of them is first', async () => {
    for (let round = 0; round < 2; round++) {
      path = join(folder, `race-${round}.db`);
      const printed = await Promise.all(
        Array.from({ length: 5 }, () =>
          inAnotherProcess(`
            await log.createThread({ id: 'a' }).catch(() => {});
            const won = await log.append('a', [event('1'), event('2')], { once: 'first' }).then(() => 1, () => 0);
            console.log(won);`),
        ),
      );
      expect(printed.map(line => line.trim()).toSorted((a, b) => a.localeCompare(b))).toEqual([
        '0',
        '0',
        '0',
        '0',
        '1',
      ]);
      const log = new SqliteLog(path);
      expect((await log.read('a')).map(each => each.seq)).toEqual([1, 2]);
      await log.close();
    }
  });
});
