import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { lawRuns } from '../../test/support/run-size.ts';
import type { EventLog } from './event-log.ts';
import { MemoryLog } from './memory-log.ts';
import { SqliteLog } from './sqlite/sqlite-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-seam-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

/** Logs over one store: a writer or reader may use any of them. */
const stores: Record<string, () => EventLog[]> = {
  MemoryLog: () => [new MemoryLog()],
  SqliteLog: () => [new SqliteLog(join(folder, `${files++}.db`))],
  'two SqliteLogs on one file': () => {
    const path = join(folder, `${files++}.db`);
    return [new SqliteLog(path, { pollMs: 1 }), new SqliteLog(path, { pollMs: 1 })];
  },
};

type Step =
  | { readonly do: 'append'; readonly log: number; readonly count: number; readonly wait: boolean }
  | { readonly do: 'tail'; readonly log: number; readonly after: number; readonly slow: boolean }
  | { readonly do: 'pause' };

const log = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('append'), log, count: fc.integer({ min: 1, max: 9 }), wait: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'append', log: 0, count: 501, wait: false }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tail'), log, after: fc.nat(30), slow: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'pause' }) },
);

const pause = () => new Promise(resolve => setImmediate(resolve));

async function seqsOf(log: EventLog, { after, slow }: { after: number; slow: boolean }, last: Promise<number>) {
  const seqs: number[] = [];
  const stop = new AbortController();
  const position = () => seqs.at(-1) ?? after;
  let end = Number.POSITIVE_INFINITY;
  const stopped = last.then(seq => {
    end = seq;
    if (position() >= end) stop.abort();
  });
  for await (const { seq } of log.tail('thread', after, { signal: stop.signal })) {
    seqs.push(seq);
    if (slow) await pause();
    if (position() >= end) break;
  }
  await stopped;
  return seqs;
}

describe.each(Object.entries(stores))('the seam between history and live, %s', (_, open) => {
  it('has no gap and no duplicate, whoever appends and whenever a tail begins', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
        const logs = open();
        const at = (index: number) => logs[index % logs.length] as EventLog;
        await at(0).createThread({ id: 'thread' });
        let finish: (last: number) => void = () => {};
        const last = new Promise<number>(resolve => {
          finish = resolve;
        });
        const tails: { after: number; seqs: Promise<number[]> }[] = [];
        const appends: Promise<unknown>[] = [];
        let total = 0;
        for (const step of steps) {
          if (step.do === 'pause') await pause();
          else if (step.do === 'tail') tails.push({ after: step.after, seqs: seqsOf(at(step.log), step, last) });
          else {
            total += step.count;
            const content = String(total);
            const events = Array.from(
              { length: step.count },
              () => ({ type: 'text', runId: 'r', id: 'i', content }) as const,
            );
            appends.push(at(step.log).append('thread', events));
            if (step.wait) await appends.at(-1);
          }
        }
        await Promise.all(appends);
        finish(total);
        for (const { after, seqs } of tails)
          expect(await seqs).toEqual(
            Array.from({ length: Math.max(0, total - after) }, (_, index) => after + 1 + index),
          );
        for (const each of logs) await each.close();
      }),
      { numRuns: lawRuns(60) },
    );
  });
});
