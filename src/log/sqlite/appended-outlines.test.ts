import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import Database from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import { ThreadOutline } from '../../events/outline/thread-outline.ts';
import { readEvents } from '../read-events.ts';
import { SqliteLog } from './sqlite-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-outlines-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${files++}.db`);

const step = (number: number): AgentEvent[] => [
  { type: 'step_start', runId: 'run', step: number },
  { type: 'text', runId: 'run', id: `t${number}`, content: `step ${number}` },
  { type: 'tool_call', runId: 'run', id: `c${number}`, name: 'read', input: { number } },
  { type: 'tool_result', runId: 'run', id: `c${number}`, name: 'read', output: { context: 'fine' } },
];
const fragment = (content: string): AgentEvent => ({ type: 'text', runId: 'run', id: 'long', content });
const steps = (count: number) => Array.from({ length: count }, (_, number) => step(number)).flat();

/** Something in the file that is behind the log. */
function stored<Row>(path: string, sql: string): Row[] {
  const db = new Database(path);
  try {
    return db.prepare(sql).all() as Row[];
  } finally {
    db.close();
  }
}
const outlinesIn = (path: string) =>
  stored<{ body: string }>(path, 'SELECT body FROM outlines ORDER BY position').map(
    ({ body }) => JSON.parse(body) as OutlineSnapshot,
  );

/** Expects each stored outline to be that of all events up to it, and none to be missing. */
async function expectOutlines(path: string, threadId: string): Promise<void> {
  const log = new SqliteLog(path);
  const outlines = outlinesIn(path);
  const outline = new ThreadOutline();
  let last = 0;
  let furthest = 0;
  let next = 0;
  for await (const event of readEvents(log, threadId)) {
    outline.take(event);
    furthest = Math.max(furthest, event.seq - last);
    if (outlines[next]?.seq !== event.seq) continue;
    expect(outlines[next]).toEqual(JSON.parse(JSON.stringify(outline.snapshot())));
    last = event.seq;
    next++;
  }
  expect(next).toBe(outlines.length);
  expect(furthest).toBeLessThanOrEqual(1_100);
  await log.close();
}

describe('the outlines of a thread', () => {
  it('are stored by appends, before anything else is derived', async () => {
    const path = newFile();
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    const events = steps(1_500);
    for (let at = 0; at < events.length; at += 100) await log.append('a', events.slice(at, at + 100));
    expect(stored(path, 'SELECT after FROM backlog')).toEqual([{ after: 0 }]);
    expect((await log.outlineAt('a', 6_000))?.seq).toBeGreaterThan(5_000);
    await log.close();
    await expectOutlines(path, 'a');
  });

  it('are those of all events, whatever is appended at once and by which process', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.nat(3)), { maxLength: 8 }),
        async parts => {
          const path = newFile();
          const logs = [new SqliteLog(path), new SqliteLog(path)];
          await logs[0]?.createThread({ id: 'a' });
          let number = 0;
          for (const [count, kind] of parts) {
            const events =
              kind === 3
                ? Array.from({ length: count }, () => fragment(`word${number++} `))
                : Array.from({ length: count }, () => step(number++)).flat();
            if (kind === 2) await logs[0]?.close();
            if (kind === 2) logs[0] = new SqliteLog(path);
            await logs[kind % 2]?.append('a', events);
          }
          await Promise.all(logs.map(log => log.close()));
          await expectOutlines(path, 'a');
        },
      ),
      { numRuns: 8 },
    );
  });

  it('of a branch continue those that it shares', async () => {
    const path = newFile();
    const log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    await log.append('a', steps(200));
    await log.branch('a', 600, { id: 'b' });
    await log.append('b', steps(200));
    const found = await log.outlineAt('b', 1_400);
    const outline = new ThreadOutline();
    for await (const event of readEvents(log, 'b')) if (event.seq <= (found?.seq ?? 0)) outline.take(event);
    expect(found?.seq).toBeGreaterThan(900);
    expect(found).toEqual(JSON.parse(JSON.stringify(outline.snapshot())));
    await log.close();
  });

  it('lose no word of a long text that they end', async () => {
    const path = newFile();
    let log = new SqliteLog(path);
    await log.createThread({ id: 'a' });
    for (let number = 0; number < 2_600; number += 100) {
      await log.append(
        'a',
        Array.from({ length: 100 }, (_, index) => fragment(`word${number + index} `)),
      );
      if (number % 500 === 0) await log.indexSome();
      if (number % 800 === 0) {
        await log.close();
        log = new SqliteLog(path);
      }
    }
    await log.append('a', [{ type: 'harness_end', runId: 'run', agentId: 'agent' }]);
    for (const number of [0, 400, 1_023, 1_024, 1_600, 2_599]) {
      const { hits } = await log.search({ text: `word${number}` });
      expect(hits, `word${number}`).toHaveLength(1);
    }
    expect(outlinesIn(path).length).toBeGreaterThan(1);
    await log.close();
  });

  it('do not fail an append where an earlier event is damaged', async () => {
    const path = newFile();
    const first = new SqliteLog(path);
    await first.createThread({ id: 'a' });
    await first.append('a', steps(100));
    await first.close();
    stored(path, "UPDATE events SET body = 'no JSON' WHERE position & 4294967295 = 50 RETURNING 1");
    const log = new SqliteLog(path);
    for (let count = 0; count < 3; count++) await log.append('a', steps(100));
    expect((await log.getThread('a'))?.seq).toBe(1_600);
    await log.close();
  });
});
