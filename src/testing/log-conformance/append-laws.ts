import assert from 'node:assert/strict';
import { contents, type Law, range, refuses, seqs, textEvent, textEvents, untyped } from './suite.ts';

/** Registers the tests of `append`: seq, time and validation. */
export function appendLaws(law: Law): void {
  law('refuses an event that is too long, and all that came with it', async ({ log }) => {
    const { id } = await log.createThread();
    const most = log.maxEventBytes ?? 16 * 2 ** 20;
    const tooLong = textEvent('é'.repeat(most / 2));
    await refuses('event_too_large', log.append(id, [textEvent('before'), tooLong], { once: 'key' }));
    assert.deepEqual(await log.read(id), []);
    const longest = textEvent('é'.repeat(most / 2 - 200));
    await log.append(id, [longest], { once: 'key' });
    assert.deepEqual(contents(await log.read(id)), contents([longest]));
  });

  law('refuses an event that no text can hold', async ({ log }) => {
    const { id } = await log.createThread();
    const endless = { ...textEvent('a'), toJSON: () => 'x'.repeat(2 ** 31 - 1) };
    await refuses('event_too_large', log.append(id, [textEvent('before'), untyped(endless)]));
    assert.deepEqual(await log.read(id), []);
  });

  law('assigns seq 1, 2, 3 … without gaps and returns the first and the last', async ({ log }) => {
    const { id } = await log.createThread();
    assert.deepEqual(await log.append(id, textEvents(2)), { firstSeq: 1, lastSeq: 2 });
    assert.deepEqual(await log.append(id, textEvents(3)), { firstSeq: 3, lastSeq: 5 });
    assert.deepEqual(await log.append(id, []), { firstSeq: 6, lastSeq: 5 });
    assert.deepEqual(await log.append(id, textEvents(1)), { firstSeq: 6, lastSeq: 6 });
    assert.deepEqual(seqs(await log.read(id)), range(1, 6));
    assert.equal((await log.getThread(id))?.seq, 6);
  });

  law('changes metadata with the events, or neither', async ({ log, clock }) => {
    const { id } = await log.createThread({ title: 't', metadata: { a: 1, b: 2 } });
    clock.advance(1000);
    await log.append(id, textEvents(2), { metadata: { a: null, c: [3] } });
    const thread = await log.getThread(id);
    assert.deepEqual([thread?.title, thread?.metadata, thread?.seq], ['t', { b: 2, c: [3] }, 2]);
    assert.equal(thread?.updatedAt, new Date(clock.now()).toISOString());
    await refuses('seq_conflict', log.append(id, textEvents(1), { expectedSeq: 1, metadata: { d: 4 } }));
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    await refuses('invalid_argument', log.append(id, textEvents(1), { metadata: circular }));
    const after = await log.getThread(id);
    assert.deepEqual([after?.metadata, after?.seq], [{ b: 2, c: [3] }, 2]);
  });

  law('counts each thread by itself', async ({ log }) => {
    const [a, b] = [await log.createThread(), await log.createThread()];
    await log.append(a.id, textEvents(3));
    assert.deepEqual(await log.append(b.id, textEvents(1)), { firstSeq: 1, lastSeq: 1 });
  });

  law('serialises appends that are made at once', async ({ log }) => {
    const { id } = await log.createThread();
    const results = await Promise.all(range(1, 20).map(n => log.append(id, textEvents(n % 4, n * 100))));
    const events = await log.read(id);
    assert.deepEqual(seqs(events), range(1, 30));
    for (const [index, { firstSeq, lastSeq }] of results.entries()) {
      const n = index + 1;
      const own = contents(textEvents(n % 4, n * 100));
      assert.deepEqual(contents(events.slice(firstSeq - 1, lastSeq)), own);
    }
  });

  law('replaces a seq that an event carries', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, [{ ...textEvent('a'), seq: 77 }]);
    assert.deepEqual(seqs(await log.read(id)), [1]);
  });

  law('stamps ts where it is absent and keeps it where it is not', async ({ log, clock }) => {
    const { id } = await log.createThread();
    clock.advance(1500);
    await log.append(id, [textEvent('a'), { ...textEvent('b'), ts: '2025-02-03T04:05:06+02:00' }]);
    const [a, b] = await log.read(id);
    assert.equal(a?.ts, new Date(clock.now()).toISOString());
    assert.equal(b?.ts, '2025-02-03T04:05:06+02:00');
  });

  law('moves updatedAt and leaves createdAt', async ({ log, clock }) => {
    const { id, createdAt } = await log.createThread();
    clock.advance(1000);
    await log.append(id, textEvents(1));
    const thread = await log.getThread(id);
    assert.equal(thread?.createdAt, createdAt);
    assert.equal(thread?.updatedAt, new Date(clock.now()).toISOString());
  });

  law('refuses an unknown thread', async ({ log }) => {
    await refuses('thread_not_found', log.append('nobody', textEvents(1)));
  });

  law('refuses a whole batch for one event that is not valid, and stores nothing', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(1));
    for (const bad of notEvents) {
      await refuses('invalid_event', log.append(id, [textEvent('x'), untyped(bad), textEvent('y')], { once: 'key' }));
    }
    assert.equal((await log.getThread(id))?.seq, 1);
    assert.deepEqual(contents(await log.read(id)), ['1']);
    assert.deepEqual(await log.append(id, textEvents(1), { once: 'key' }), { firstSeq: 2, lastSeq: 2 });
  });
}

const cyclic: Record<string, unknown> = { type: 'custom', runId: 'run', name: 'loop' };
cyclic['data'] = cyclic;

/** Values that are rejected because they are invalid or would be lost in JSON. */
const notEvents: unknown[] = [
  undefined,
  null,
  'text',
  [],
  {},
  { type: 'text', runId: 'run', id: 'a' },
  { type: 'text', runId: '', id: 'a', content: '' },
  { type: 'text', runId: 'run', id: 'a', content: 5 },
  { type: 'no_such_type' },
  { type: 'usage', runId: 'run', inputTokens: Number.NaN, outputTokens: 1 },
  { ...textEvent('a'), ts: 'yesterday' },
  { type: 'custom', runId: 'run', name: 'big', data: 1n },
  { type: 'custom', runId: 'run', name: 'function', data: () => 1 },
  { type: 'unknown', runId: 'run', raw: Symbol('raw') },
  { ...textEvent('a'), toJSON: () => undefined },
  { ...textEvent('a'), toJSON: () => ({}) },
  cyclic,
];
