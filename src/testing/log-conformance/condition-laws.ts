import assert from 'node:assert/strict';
import { SingletreeError } from '../../base/singletree-error.ts';
import { contents, type Law, range, refuses, textEvent, textEvents } from './suite.ts';

/** Registers the tests of the conditions of `append`: `expectedSeq`, `once` and `lease`. */
export function conditionLaws(law: Law): void {
  law('appends with expectedSeq only when it is the newest seq', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(2), { expectedSeq: 0 });
    await refuses('seq_conflict', log.append(id, textEvents(1), { expectedSeq: 1 }));
    await refuses('seq_conflict', log.append(id, textEvents(1), { expectedSeq: 3 }));
    await log.append(id, textEvents(1), { expectedSeq: 2 });
    assert.equal((await log.read(id)).length, 3);
  });

  law('lets one of many that expect the same seq win', async ({ log }) => {
    const { id } = await log.createThread();
    const attempts = range(1, 10).map(n => log.append(id, [textEvent(`${n}`)], { expectedSeq: 0 }));
    const results = await Promise.allSettled(attempts);
    assert.equal(results.filter(result => result.status === 'fulfilled').length, 1);
    assert.equal((await log.read(id)).length, 1);
  });

  law('lets exactly one of many with the same once key win, with its whole batch', async ({ log }) => {
    const { id } = await log.createThread();
    const attempts = range(1, 10).map(n =>
      log.append(id, [textEvent(`${n}a`), textEvent(`${n}b`)], { once: 'answer' }),
    );
    const results = await Promise.allSettled(attempts);
    const winner = results.findIndex(result => result.status === 'fulfilled') + 1;
    for (const result of results)
      if (result.status === 'rejected') assert.ok(SingletreeError.is(result.reason, 'once_conflict'));
    assert.deepEqual(contents(await log.read(id)), [`${winner}a`, `${winner}b`]);
  });

  law('remembers a once key, even one without events, and not one that was refused', async ({ log }) => {
    const { id } = await log.createThread();
    await refuses('seq_conflict', log.append(id, textEvents(1), { once: 'a', expectedSeq: 5 }));
    await log.append(id, [], { once: 'a' });
    await log.append(id, textEvents(3));
    await refuses('once_conflict', log.append(id, textEvents(1), { once: 'a' }));
    await log.append(id, textEvents(1), { once: 'b' });
    assert.equal((await log.read(id)).length, 4);
  });

  law('lists the once keys of a thread, if it lists them at all', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(2), { once: 'a' });
    await log.append(id, textEvents(1));
    await log.append(id, [], { once: 'b' });
    const child = await log.branch(id, 2);
    if (log.onceKeys === undefined) return;
    assert.deepEqual(await log.onceKeys(id), [
      { key: 'a', seq: 2 },
      { key: 'b', seq: 3 },
    ]);
    assert.deepEqual(await log.onceKeys(child.id), []);
    await refuses('thread_not_found', log.onceKeys('unknown'));
  });

  law('keeps once keys by thread', async ({ log }) => {
    const [a, b] = [await log.createThread(), await log.createThread()];
    await log.append(a.id, textEvents(1), { once: 'key' });
    await log.append(b.id, textEvents(1), { once: 'key' });
  });

  law('refuses a once key that cannot be held faithfully', async ({ log }) => {
    const { id } = await log.createThread();
    for (const once of ['', 'a\u0000b', '\ud800', 'x'.repeat(10_000)])
      await refuses('invalid_argument', log.append(id, textEvents(1), { once }));
    assert.deepEqual(await log.read(id), []);
  });

  law('appends with a lease only while it is the newest of its name', async ({ log, clock }) => {
    const { id } = await log.createThread();
    const first = await log.acquireLease('writer', { owner: 'a', ttlMs: 100 });
    await log.append(id, textEvents(1), { lease: first });
    clock.advance(1000);
    await log.append(id, textEvents(1), { lease: first });
    const second = await log.acquireLease('writer', { owner: 'b', ttlMs: 100 });
    await refuses('lease_lost', log.append(id, textEvents(1), { lease: first, once: 'key' }));
    await log.append(id, textEvents(1), { lease: second, once: 'key' });
    assert.equal((await log.read(id)).length, 3);
  });

  law('refuses a lease that nobody ever took', async ({ log }) => {
    const { id } = await log.createThread();
    const lease = { name: 'n', owner: 'o', token: 1, expiresAt: '2099-01-01T00:00:00.000Z' };
    await refuses('lease_lost', log.append(id, textEvents(1), { lease }));
    await refuses('lease_lost', log.append(id, textEvents(1), { lease: { ...lease, name: '\ud800' } }));
  });
}
