import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkOrder, type LoggedEvent } from '../src/events/index.ts';
import { SqliteLog } from '../src/log/index.ts';
import { createConversation, defaultActive, reduceConversation } from '../src/graph/index.ts';
import { projectMessages } from '../src/projections/index.ts';

const script = fileURLToPath(new URL('support/crash-matrix-child.mjs', import.meta.url));
function child(
  files: { db: string; effects: string },
  killAfter?: number,
): Promise<{ code: number | null; signal: string | null; stderr: string }> {
  const args = [script, files.db, files.effects, ...(killAfter === undefined ? [] : [String(killAfter)])];
  return new Promise(resolve => {
    const process_ = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    process_.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    process_.on('exit', (code, signal) => resolve({ code, signal, stderr }));
  });
}

async function eventsIn(db: string): Promise<LoggedEvent[]> {
  const log = new SqliteLog(db);
  try {
    return await log.read('thread', { limit: 10_000 });
  } finally {
    await log.close();
  }
}

/** What a model would be sent after the run, with results that no crash can explain away. */
function conversation(events: readonly LoggedEvent[]) {
  const whole = events.reduce(reduceConversation, createConversation());
  return projectMessages(whole, defaultActive(whole));
}

const effectsIn = (file: string) =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean) : [];

describe('a run that is killed and continued', () => {
  it('ends equivalent, with each side effect at most once, wherever it was killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'singletree-crash-matrix-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const filesFor = (name: string) => ({ db: join(folder, `${name}.db`), effects: join(folder, `${name}.txt`) });
    const whole = filesFor('whole');
    expect(await child(whole)).toEqual({ code: 0, signal: null, stderr: '' });
    const expected = await eventsIn(whole.db);
    expect(expected.length).toBeGreaterThan(30);
    expect(checkOrder(expected)).toEqual([]);

    const every = process.env['CI'] ? 1 : 5;
    const boundaries = Array.from({ length: expected.length }, (_, index) => index + 1).filter(at => at % every === 0);
    let unknown = 0;
    const lane = async () => {
      for (let at = boundaries.shift(); at !== undefined; at = boundaries.shift()) {
        const files = filesFor(`killed-after-${at}`);
        const killed = await child(files, at);
        const left = await eventsIn(files.db);
        const continued = await child(files);
        // The same words are stored in fewer pieces when they arrive together: such a run may end before the last boundary.
        const signal = left.length < at ? null : 'SIGKILL';
        expect([at, killed.signal, continued]).toEqual([at, signal, { code: 0, signal: null, stderr: '' }]);

        const events = await eventsIn(files.db);
        expect(events.slice(0, left.length)).toEqual(left);
        expect([at, checkOrder(events)]).toEqual([at, []]);
        expect([at, events.at(-1)?.type]).toEqual([at, 'harness_end']);

        const effects = effectsIn(files.effects);
        expect([at, effects.length]).toEqual([at, new Set(effects).size]);
        const lost = left.filter(
          event =>
            event.type === 'tool_start' && !left.some(done => done.type === 'tool_result' && done.id === event.id),
        );
        const results = events.filter(event => event.type === 'tool_result');
        for (const start of lost)
          expect(
            results.filter(result => result.type === 'tool_result' && 'id' in start && result.id === start.id),
          ).toMatchObject([
            { output: { error: expect.stringContaining('outcome of this call is unknown') as string } },
          ]);
        unknown += lost.length;
        if (lost.length === 0) {
          expect([at, conversation(events)]).toEqual([at, conversation(expected)]);
          expect(effects.toSorted()).toEqual(effectsIn(whole.effects).toSorted());
        }
      }
    };
    await Promise.all([lane(), lane()]);
    expect(unknown).toBeGreaterThan(0);
  }, 120_000);
});
