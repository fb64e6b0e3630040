import assert from 'node:assert/strict';
import type { ReadRange } from '../../log/event-log.ts';
import { type Law, range, refuses, seqs, textEvent, textEvents } from './suite.ts';

const largest = Number.MAX_SAFE_INTEGER;

const ranges: [ReadRange, number[]][] = [
  [{}, range(1, 10)],
  [{ after: 0 }, range(1, 10)],
  [{ after: 4 }, range(5, 10)],
  [{ after: 9 }, [10]],
  [{ after: 10 }, []],
  [{ after: 1000 }, []],
  [{ after: largest }, []],
  [{ before: 0 }, []],
  [{ before: 1 }, []],
  [{ before: 2 }, [1]],
  [{ before: 11 }, range(1, 10)],
  [{ before: largest }, range(1, 10)],
  [{ after: 3, before: 6 }, [4, 5]],
  [{ after: 3, before: 4 }, []],
  [{ after: 6, before: 3 }, []],
  [{ limit: 0 }, []],
  [{ limit: 3 }, [1, 2, 3]],
  [{ after: 8, limit: 5 }, [9, 10]],
  [{ after: 2, before: 9, limit: 2 }, [3, 4]],
  [{ limit: largest }, range(1, 10)],
  [{ after: largest, before: largest, limit: largest }, []],
];

/** Values that are not a whole number of at least 0. */
export const notCounts = [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53];

/** Registers the tests of `read`: ranges of plain threads and of branches. */
export function readLaws(law: Law): void {
  for (const [given, expected] of ranges)
    law(`reads ${JSON.stringify(given)} of ten events, in a thread and in a branch of a branch`, async ({ log }) => {
      const { id } = await log.createThread();
      await log.append(id, textEvents(10));
      assert.deepEqual(seqs(await log.read(id, given)), expected);
      const child = await log.branch(id, 3);
      await log.append(child.id, textEvents(4));
      const grandchild = await log.branch(child.id, 6);
      await log.append(grandchild.id, textEvents(4));
      const read = await log.read(grandchild.id, given);
      assert.deepEqual(seqs(read), expected);
      const texts = await log.readTexts(grandchild.id, given);
      assert.deepEqual(
        texts,
        read.map(event => JSON.stringify(event)),
      );
    });

  law('reads short pages when they may have few bytes, of at least one event', async ({ log }) => {
    const { id } = await log.createThread();
    for (let n = 1; n <= 30; n++) await log.append(id, [textEvent('x'.repeat(n % 3 === 0 ? 300_000 : 10))]);
    const { id: child } = await log.branch(id, 20);
    await log.append(child, textEvents(5));
    for (const [threadId, last] of [
      [id, 30],
      [child, 25],
    ] as const) {
      const read: number[] = [];
      for (let page = [0]; page.length > 0; ) {
        page = seqs(await log.read(threadId, { after: read.length, maxBytes: 600_000 }));
        assert.ok(page.length < 15, `a page has ${page.length} events`);
        read.push(...page);
      }
      assert.deepEqual(read, range(1, last));
    }
    assert.ok((await log.read(id, { maxBytes: 1 })).length > 0);
    await refuses('invalid_argument', log.read(id, { maxBytes: 0 }));
  });

  law('reads 1000 events when no limit is given', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(1001));
    assert.equal((await log.read(id)).length, 1000);
    assert.equal((await log.read(id, { limit: 1001 })).length, 1001);
  });

  law('refuses what is not a whole number of at least 0', async ({ log }) => {
    const { id } = await log.createThread();
    for (const bad of notCounts) {
      await refuses('invalid_argument', log.read(id, { after: bad }));
      await refuses('invalid_argument', log.read(id, { before: bad }));
      await refuses('invalid_argument', log.read(id, { limit: bad }));
    }
  });

  law('refuses an unknown thread', async ({ log }) => {
    await refuses('thread_not_found', log.read('nobody'));
  });
}
