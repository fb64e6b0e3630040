import assert from 'node:assert/strict';
import { type Law, range, refuses } from './suite.ts';

const hourMs = 3_600_000;

/** Registers the tests of leases while the wall clock jumps. */
export function leaseJumpLaws(law: Law): void {
  law('neither ends nor lasts longer when the time of day jumps by an hour', async ({ log, clock }) => {
    for (const jump of [hourMs, -hourMs]) {
      const first = await log.acquireLease('n', { owner: 'a', ttlMs: 1000 });
      clock.jump(jump);
      clock.advance(999);
      await refuses('lease_held', log.acquireLease('n', { owner: 'b', ttlMs: 1000 }));
      await log.renewLease(first, 1000);
      clock.advance(1000);
      const second = await log.acquireLease('n', { owner: 'b', ttlMs: 1000 });
      await log.releaseLease(second);
    }
  });
}

/** Registers the tests of leases. */
export function leaseLaws(law: Law): void {
  law('is held by one owner until it expires', async ({ log, clock }) => {
    const lease = await log.acquireLease('n', { owner: 'a', ttlMs: 1000 });
    assert.deepEqual([lease.name, lease.owner], ['n', 'a']);
    assert.equal(lease.expiresAt, new Date(clock.now() + 1000).toISOString());
    clock.advance(999);
    await refuses('lease_held', log.acquireLease('n', { owner: 'b', ttlMs: 1000 }));
    await log.acquireLease('other', { owner: 'b', ttlMs: 1000 });
    clock.advance(1);
    assert.equal((await log.acquireLease('n', { owner: 'b', ttlMs: 1000 })).owner, 'b');
    await refuses('lease_held', log.acquireLease('n', { owner: 'a', ttlMs: 1000 }));
  });

  law('names its owner until it is released or expires', async ({ log, clock }) => {
    if (log.leaseOwner === undefined) return;
    assert.equal(await log.leaseOwner('n'), undefined);
    const lease = await log.acquireLease('n', { owner: 'a', ttlMs: 1000 });
    clock.advance(999);
    assert.equal(await log.leaseOwner('n'), 'a');
    await log.renewLease(lease, 1000);
    clock.advance(999);
    assert.equal(await log.leaseOwner('n'), 'a');
    clock.advance(1);
    assert.equal(await log.leaseOwner('n'), undefined);
    await log.releaseLease(await log.acquireLease('n', { owner: 'b', ttlMs: 1000 }));
    assert.equal(await log.leaseOwner('n'), undefined);
  });

  law('is taken at once from a holder that is known to be gone', async ({ log }) => {
    const first = await log.acquireLease('n', { owner: 'a', ttlMs: 1000 });
    await refuses('lease_held', log.acquireLease('n', { owner: 'b', ttlMs: 1000, isGone: () => false }));
    const asked: string[] = [];
    const isGone = (owner: string) => asked.push(owner) > 0;
    const second = await log.acquireLease('n', { owner: 'b', ttlMs: 1000, isGone });
    assert.deepEqual(asked, ['a']);
    assert.ok(second.token > first.token);
    await refuses('lease_lost', log.renewLease(first, 1000));
  });

  law('has a higher token for every holder, after a release too, also for the same owner', async ({ log, clock }) => {
    const tokens: number[] = [];
    for (const owner of ['a', 'a', 'b', 'a']) {
      const lease = await log.acquireLease('n', { owner, ttlMs: 10 });
      tokens.push(lease.token);
      if (tokens.length === 2) await log.releaseLease(lease);
      else if (tokens.length > 2) clock.advance(10);
    }
    assert.deepEqual(
      tokens,
      tokens.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(tokens).size, 4);
  });

  law('goes to exactly one of many that want it at once', async ({ log }) => {
    const results = await Promise.allSettled(
      range(1, 10).map(n => log.acquireLease('n', { owner: `owner${n}`, ttlMs: 1000 })),
    );
    assert.equal(results.filter(result => result.status === 'fulfilled').length, 1);
  });

  law('is extended by its newest holder only', async ({ log, clock }) => {
    const first = await log.acquireLease('n', { owner: 'a', ttlMs: 100 });
    clock.advance(50);
    const renewed = await log.renewLease(first, 100);
    assert.deepEqual(renewed, { ...first, expiresAt: new Date(clock.now() + 100).toISOString() });
    clock.advance(99);
    await refuses('lease_held', log.acquireLease('n', { owner: 'b', ttlMs: 100 }));
    clock.advance(1);
    await log.renewLease(renewed, 100);
    await refuses('lease_held', log.acquireLease('n', { owner: 'b', ttlMs: 100 }));
    clock.advance(100);
    await log.acquireLease('n', { owner: 'b', ttlMs: 100 });
    await refuses('lease_lost', log.renewLease(renewed, 100));
    await refuses('lease_lost', log.renewLease({ ...first, name: 'never' }, 100));
  });

  law('is free when it was given up, and a lost one that is given up changes nothing', async ({ log }) => {
    const first = await log.acquireLease('n', { owner: 'a', ttlMs: 1000 });
    await log.releaseLease(first);
    await log.acquireLease('n', { owner: 'b', ttlMs: 1000 });
    await log.releaseLease(first);
    await log.releaseLease({ ...first, name: 'never' });
    await refuses('lease_held', log.acquireLease('n', { owner: 'c', ttlMs: 1000 }));
  });

  law('refuses names, owners and times that are none, and changes nothing', async ({ log }) => {
    const lease = await log.acquireLease('n', { owner: 'a', ttlMs: 1000 });
    for (const bad of ['', '\u0000', '\ud800', 'x'.repeat(10_240)]) {
      await refuses('invalid_argument', log.acquireLease(bad, { owner: 'a', ttlMs: 1 }));
      await refuses('invalid_argument', log.acquireLease('m', { owner: bad, ttlMs: 1 }));
    }
    for (const ttlMs of [Number.NaN, -1, Number.POSITIVE_INFINITY, 2 ** 53]) {
      await refuses('invalid_argument', log.acquireLease('n', { owner: 'a', ttlMs }));
      await refuses('invalid_argument', log.renewLease(lease, ttlMs));
    }
    assert.equal((await log.renewLease(lease, 1000)).token, lease.token);
  });
}
