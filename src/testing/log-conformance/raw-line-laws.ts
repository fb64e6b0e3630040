import assert from 'node:assert/strict';
import type { RawLine } from '../../log/event-log.ts';
import { type Law, range, refuses } from './suite.ts';
import { notCounts } from './read-laws.ts';

const ts = '2025-01-01T00:00:00.000Z';

function raw(n: number, bytes: Iterable<number> = [n & 255]): RawLine {
  return { n, ts, stream: n % 3 === 0 ? 'stderr' : 'stdout', line: Uint8Array.from(bytes) };
}

const numbers = (lines: readonly RawLine[]) => lines.map(line => line.n);

/** Registers the tests of raw lines. */
export function rawLineLaws(law: Law): void {
  law('appends with a lease only while it is the newest of its name', async ({ log }) => {
    const { id } = await log.createThread();
    const first = await log.acquireLease('writer', { owner: 'a', ttlMs: 100 });
    await log.appendRaw(id, 'run', [raw(1)], { lease: first });
    const second = await log.acquireLease('writer', { owner: 'a', ttlMs: 100 });
    await refuses('lease_lost', log.appendRaw(id, 'run', [raw(2)], { lease: first }));
    await log.appendRaw(id, 'run', [raw(2)], { lease: second });
    assert.equal((await log.readRaw(id, 'run')).length, 2);
  });

  law('come back byte for byte: empty, not UTF-8, without a line ending, long', async ({ log }) => {
    const { id } = await log.createThread();
    const lines = [
      raw(1, range(0, 255)),
      raw(2, []),
      raw(3, [0xff, 0xfe, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
      raw(4, [0x0d, 0x0a]),
      raw(5, new Uint8Array(2_000_000).fill(0xf0)),
    ];
    await log.appendRaw(id, 'run', lines.slice(0, 2));
    await log.appendRaw(id, 'run', lines.slice(2));
    assert.deepEqual(await log.readRaw(id, 'run'), lines);
  });

  law('are a part of a larger buffer without the rest of it, and shared with nobody', async ({ log }) => {
    const { id } = await log.createThread();
    const buffer = Buffer.of(1, 2, 3, 4, 5);
    await log.appendRaw(id, 'run', [{ ...raw(1), line: buffer.subarray(1, 3) }]);
    buffer.fill(9);
    (await log.readRaw(id, 'run'))[0]?.line.fill(8);
    assert.deepEqual((await log.readRaw(id, 'run'))[0]?.line, Uint8Array.of(2, 3));
  });

  law('go on from the last one, else nothing is stored', async ({ log }) => {
    const { id } = await log.createThread();
    await refuses('raw_conflict', log.appendRaw(id, 'run', [raw(2)]));
    await log.appendRaw(id, 'run', [raw(1), raw(2)]);
    for (const bad of [[raw(2)], [raw(4)], [raw(3), raw(5)], [raw(3), raw(3)], [raw(Number.NaN)]])
      await refuses('raw_conflict', log.appendRaw(id, 'run', bad));
    await log.appendRaw(id, 'run', []);
    await log.appendRaw(id, 'run', [raw(3)]);
    assert.deepEqual(numbers(await log.readRaw(id, 'run')), [1, 2, 3]);
  });

  law('are refused as a whole when one is none', async ({ log }) => {
    const { id } = await log.createThread();
    await log.appendRaw(id, 'run', [raw(1)]);
    const bad: unknown[] = [
      { ...raw(3), line: 'text' },
      { ...raw(3), line: undefined },
      { ...raw(3), stream: 'stdin' },
      { ...raw(3), ts: 'a\u0000b' },
    ];
    for (const line of bad) await refuses('invalid_argument', log.appendRaw(id, 'run', [raw(2), line as RawLine]));
    assert.deepEqual(numbers(await log.readRaw(id, 'run')), [1]);
  });

  law('are kept by thread and run, and read in ranges', async ({ log }) => {
    const [a, b] = [await log.createThread(), await log.createThread()];
    await log.appendRaw(
      a.id,
      'run',
      range(1, 10).map(n => raw(n)),
    );
    await log.appendRaw(a.id, 'other', [raw(1)]);
    await log.appendRaw(b.id, 'run', [raw(1)]);
    assert.deepEqual(numbers(await log.readRaw(a.id, 'run', { after: 3, limit: 4 })), [4, 5, 6, 7]);
    assert.deepEqual(numbers(await log.readRaw(a.id, 'run', { after: 10 })), []);
    assert.deepEqual(numbers(await log.readRaw(a.id, 'run', { limit: 0 })), []);
    assert.deepEqual(numbers(await log.readRaw(a.id, 'other')), [1]);
    assert.deepEqual(await log.readRaw(a.id, 'nothing'), []);
    for (const bad of notCounts) {
      await refuses('invalid_argument', log.readRaw(a.id, 'run', { after: bad }));
      await refuses('invalid_argument', log.readRaw(a.id, 'run', { limit: bad }));
    }
    assert.equal((await log.getThread(a.id))?.seq, 0);
  });

  law('belong to a known thread and a run with a usable id, and go with their thread', async ({ log }) => {
    await log.createThread({ id: 'a' });
    await refuses('thread_not_found', log.appendRaw('nobody', 'run', [raw(1)]));
    await refuses('thread_not_found', log.readRaw('nobody', 'run'));
    await refuses('invalid_argument', log.appendRaw('a', '\ud800', [raw(1)]));
    await log.appendRaw('a', '\ufffd', [raw(1)]);
    assert.deepEqual(await log.readRaw('a', '\ud800'), []);
    await log.deleteThread('a');
    await log.createThread({ id: 'a' });
    assert.deepEqual(await log.readRaw('a', '\ufffd'), []);
  });
}
