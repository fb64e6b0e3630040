import assert from 'node:assert/strict';
import { contents, type Law, range, refuses, seqs, textEvent, textEvents } from './suite.ts';
import { notCounts } from './read-laws.ts';

/** Registers the tests of `branch`. */
export function branchLaws(law: Law): void {
  law('shares the events up to seq and goes on at seq + 1, and so does the parent', async ({ log }) => {
    await log.createThread({ id: 'parent', resourceId: 'tenant', title: 'parent' });
    await log.append('parent', textEvents(4));
    const child = await log.branch('parent', 2, { id: 'child', title: 'child', metadata: { a: 1 } });
    assert.deepEqual([child.seq, child.resourceId, child.title, child.metadata], [2, 'tenant', 'child', { a: 1 }]);
    assert.deepEqual(child.branchedFrom, { threadId: 'parent', seq: 2 });
    assert.deepEqual(await log.append('child', [textEvent('c')]), { firstSeq: 3, lastSeq: 3 });
    assert.deepEqual(await log.append('parent', [textEvent('p')]), { firstSeq: 5, lastSeq: 5 });
    assert.deepEqual(contents(await log.read('child')), ['1', '2', 'c']);
    assert.deepEqual(contents(await log.read('parent')), ['1', '2', '3', '4', 'p']);
    assert.deepEqual(await log.read('child', { before: 3 }), await log.read('parent', { before: 3 }));
    assert.deepEqual((await log.updateThread('child', { title: 't' })).branchedFrom, { threadId: 'parent', seq: 2 });
  });

  law('branches at 0, at the head, and not beyond it', async ({ log }) => {
    await log.createThread({ id: 'a' });
    await log.append('a', textEvents(3));
    const [zero, head] = [await log.branch('a', 0), await log.branch('a', 3)];
    await log.append(zero.id, [textEvent('z')]);
    await log.append(head.id, [textEvent('h')]);
    assert.deepEqual(contents(await log.read(zero.id)), ['z']);
    assert.deepEqual(contents(await log.read(head.id)), ['1', '2', '3', 'h']);
    await refuses('invalid_argument', log.branch('a', 4));
    for (const seq of notCounts) await refuses('invalid_argument', log.branch('a', seq));
    await refuses('thread_not_found', log.branch('nobody', 0));
    assert.equal((await log.listThreads()).length, 3);
  });

  law('branches from branches, to any depth', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, [textEvent('0')]);
    let tip = id;
    for (const depth of range(1, 40)) {
      tip = (await log.branch(tip, depth)).id;
      await log.append(tip, textEvents(3, depth * 100));
    }
    const first = range(1, 40).map(depth => String(depth * 100));
    assert.deepEqual(contents(await log.read(tip)), ['0', ...first, '4001', '4002']);
    assert.deepEqual(contents(await log.read(tip, { after: 38, before: 42, limit: 2 })), ['3800', '3900']);
    assert.deepEqual(seqs(await log.read(tip)), range(1, 43));
  });

  law('branches below an earlier fork: from the history the branch shares', async ({ log }) => {
    await log.createThread({ id: 'a' });
    await log.append('a', textEvents(5));
    await log.branch('a', 4, { id: 'b' });
    await log.append('b', textEvents(3, 100));
    for (const seq of [2, 4]) {
      const { id, branchedFrom } = await log.branch('b', seq);
      assert.deepEqual(branchedFrom, { threadId: 'b', seq });
      await log.append(id, [textEvent('c')]);
      assert.deepEqual(contents(await log.read(id)), [...range(1, seq).map(String), 'c']);
    }
    await log.deleteThread('b');
    const [first] = await log.listThreads({ limit: 1 });
    assert.ok(first);
    assert.equal((await log.read(first.id)).length, first.seq);
  });

  law('stays readable when the threads it branched from are deleted, in any order', async ({ log }) => {
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      await log.createThread({ id: 'a' });
      await log.append('a', textEvents(3));
      await log.branch('a', 2, { id: 'b' });
      await log.append('b', textEvents(2, 10));
      await log.branch('b', 3, { id: 'c' });
      await log.append('c', textEvents(1, 20));
      for (const id of order) {
        await log.deleteThread(id);
        assert.equal(await log.getThread(id), undefined);
        assert.deepEqual(contents(await log.read('c')), ['1', '2', '10', '20']);
      }
      assert.deepEqual((await log.getThread('c'))?.branchedFrom, { threadId: 'b', seq: 3 });
      await log.createThread({ id: 'a' });
      await log.append('a', [textEvent('another')]);
      assert.deepEqual(contents(await log.read('c')), ['1', '2', '10', '20']);
      await log.deleteThread('c');
      await log.deleteThread('a');
    }
    assert.deepEqual(await log.listThreads(), []);
  });

  law('has once keys and raw lines of its own', async ({ log }) => {
    await log.createThread({ id: 'a' });
    await log.append('a', textEvents(1), { once: 'key' });
    const raw = { n: 1, ts: '2025-01-01T00:00:00.000Z', stream: 'stdout', line: Uint8Array.of(1) } as const;
    await log.appendRaw('a', 'run', [raw]);
    await log.branch('a', 1, { id: 'b' });
    await log.append('b', textEvents(1), { once: 'key' });
    await refuses('once_conflict', log.append('b', textEvents(1), { once: 'key' }));
    assert.deepEqual(await log.readRaw('b', 'run'), []);
    await log.appendRaw('b', 'run', [{ ...raw, line: Uint8Array.of(2) }]);
    await log.deleteThread('b');
    assert.deepEqual(await log.readRaw('a', 'run'), [raw]);
  });
}
