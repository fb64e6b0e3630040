import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { type LoggedEvent, parseEvent } from '../src/events/index.ts';
import { exportThread, SqliteLog } from '../src/log/index.ts';

const script = fileURLToPath(new URL('support/crash-writer.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'singletree-crash-'));
afterAll(() => rmSync(folder, { recursive: true }));

const lanes = 2;
const filesPerLane = 4;
/** 200 kills in all where everything is checked, 32 where somebody waits for the tests. */
const killsPerFile = process.env['CI'] ? 25 : 4;

interface Acknowledged {
  readonly seq: number;
  readonly number: number;
}

interface Life {
  readonly name: string;
  readonly seed: number;
  /** When to kill: this long after the first acknowledgement or, in some lives, after the start. */
  readonly from: 'first acknowledgement' | 'start';
  readonly ms: number;
}

function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Lets a writer live as long as said, kills it, and returns the last it said was stored. */
function liveAndDie(path: string, { name, seed, from, ms }: Life): Promise<Acknowledged | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, path, name, String(seed)]);
    let printed = '';
    let complaint = '';
    let timer: NodeJS.Timeout | undefined;
    const killLater = () => {
      timer ??= setTimeout(() => child.kill('SIGKILL'), ms);
    };
    if (from === 'start') killLater();
    child.stdout.on('data', chunk => {
      printed += chunk;
      killLater();
    });
    child.stderr.on('data', chunk => (complaint += chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== 'SIGKILL') return reject(new Error(`the writer ended by itself (${code}): ${complaint}`));
      const line = printed
        .slice(0, printed.lastIndexOf('\n') + 1)
        .trimEnd()
        .split('\n')
        .at(-1);
      const [seq, number] = (line ?? '').split(' ').map(Number);
      resolve(seq !== undefined && number !== undefined ? { seq, number } : undefined);
    });
  });
}

/** The numbers that a writer of this name left in the events, in order. */
function numbersOf(name: string, events: readonly LoggedEvent[]): number[] {
  const texts = events.map(event =>
    event.type === 'text' ? event.content : event.type === 'warning' ? event.message : '',
  );
  return [...texts.join(' ').matchAll(/\b(w\d+):(\d+) /g)]
    .filter(match => match[1] === name)
    .map(match => Number(match[2]));
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Reopens the file after a crash: what was acknowledged is there, and what is there is whole. Returns the new head. */
async function check(path: string, head: number, life: Life, acknowledged: Acknowledged | undefined): Promise<number> {
  const log = new SqliteLog(path);
  const thread = await log.getThread('thread');
  if (thread === undefined) {
    expect(acknowledged).toBeUndefined();
    return head;
  }
  const events = await log.read('thread', { after: head, limit: 1_000_000 });
  for (const event of events) parseEvent(event);
  expect(events.map(event => event.seq)).toEqual(upTo(events.length).map(index => head + index));
  expect(thread.seq).toBe(head + events.length);
  const numbers = numbersOf(life.name, events);
  expect(numbers).toEqual(upTo(numbers.length));
  if (acknowledged !== undefined) {
    expect(thread.seq).toBeGreaterThanOrEqual(acknowledged.seq);
    const before = events.filter(event => event.seq <= acknowledged.seq);
    expect(numbersOf(life.name, before)).toEqual(upTo(acknowledged.number));
  }
  await log.close();
  return thread.seq;
}

async function lane(index: number, seed: number): Promise<{ kills: number; events: number }> {
  const random = createRandom(seed + index);
  let kills = 0;
  let total = 0;
  for (let file = 0; file < filesPerLane; file++) {
    const path = join(folder, `${index}-${file}.db`);
    let head = 0;
    for (let kill = 0; kill < killsPerFile; kill++) {
      const early = random(8) === 0;
      const life: Life = {
        name: `w${kill}`,
        seed: random(2 ** 31),
        from: early ? 'start' : 'first acknowledgement',
        ms: random(early ? 200 : 31),
      };
      head = await check(path, head, life, await liveAndDie(path, life));
      kills++;
    }
    const log = new SqliteLog(path);
    let lines = 0;
    if (head > 0)
      for await (const line of exportThread(log, 'thread')) lines += JSON.parse(line).seq === lines + 1 ? 1 : 0;
    expect(lines).toBe(head);
    await log.close();
    total += head;
  }
  return { kills, events: total };
}

describe('a writer that is killed at any moment', () => {
  it('has lost nothing that was acknowledged, and left nothing half done, however often', {
    timeout: 180_000,
  }, async () => {
    const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    try {
      const results = await Promise.all(upTo(lanes).map(index => lane(index, seed)));
      expect(results.map(result => result.kills)).toEqual(upTo(lanes).map(() => filesPerLane * killsPerFile));
      for (const { events } of results) expect(events).toBeGreaterThan(100);
    } catch (error) {
      throw new Error(`with CRASH_SEED=${seed}`, { cause: error });
    }
  });
});
