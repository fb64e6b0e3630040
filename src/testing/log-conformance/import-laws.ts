import assert from 'node:assert/strict';
import { contents, type Law, refuses, textEvent, textEvents } from './suite.ts';

/** Registers the tests of the mark on imported events. */
export function importLaws(law: Law): void {
  law('marks imported events in the same append, and no others', async ({ log }) => {
    const { id, importedSeq } = await log.createThread({ imported: true });
    assert.equal(importedSeq, 0);
    await log.append(id, textEvents(2), { imported: true });
    await log.append(id, textEvents(3), { imported: true, metadata: { a: 1 } });
    assert.equal((await log.getThread(id))?.importedSeq, 5);
    await log.append(id, [textEvent('own')]);
    const { importedSeq: marked, metadata } = await log.updateThread(id, { title: 't', metadata: { imported: 9 } });
    assert.deepEqual([marked, metadata], [5, { a: 1, imported: 9 }]);
    assert.deepEqual(
      (await log.listThreads()).map(thread => thread.importedSeq),
      [5],
    );
    assert.equal(contents(await log.read(id)).length, 6);
  });

  law('has the times of its imported events, and no later one than now', async ({ log }) => {
    const [day, next] = ['2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z'];
    const newer = await log.createThread();
    const { id, createdAt, updatedAt } = await log.createThread({ imported: true, createdAt: day });
    assert.deepEqual([createdAt, updatedAt], [day, day]);
    await log.append(id, [{ ...textEvent('a'), ts: next }], { imported: true });
    await log.append(id, [{ ...textEvent('b'), ts: day }], { imported: true, metadata: { a: 1 } });
    assert.deepEqual([(await log.getThread(id))?.createdAt, (await log.getThread(id))?.updatedAt], [day, next]);
    assert.deepEqual(
      (await log.listThreads()).map(thread => thread.id),
      [newer.id, id],
    );
    await log.append(id, [{ ...textEvent('c'), ts: '9999-01-01T00:00:00Z' }], { imported: true });
    const later = await log.createThread({ imported: true, createdAt: '9999-01-01T00:00:00Z' });
    for (const thread of [await log.getThread(id), await log.getThread(later.id)])
      assert.ok(Date.parse(thread?.updatedAt ?? '') < Date.parse('9999-01-01T00:00:00Z'));
    await refuses('invalid_argument', log.createThread({ imported: true, createdAt: 'yesterday' }));
    await refuses('invalid_argument', log.createThread({ createdAt: day }));
  });

  law('takes imported events only into a thread made for them, before its own', async ({ log }) => {
    const own = await log.createThread();
    assert.equal(own.importedSeq, undefined);
    await refuses('invalid_argument', log.append(own.id, textEvents(1), { imported: true }));
    const { id } = await log.createThread({ imported: true });
    await log.append(id, textEvents(1), { imported: true });
    await log.append(id, [textEvent('own')]);
    await refuses('invalid_argument', log.append(id, textEvents(1), { imported: true }));
    assert.deepEqual([(await log.getThread(id))?.seq, (await log.getThread(id))?.importedSeq], [2, 1]);
  });

  law('keeps the mark on the events that branches share, to any depth', async ({ log }) => {
    const { id } = await log.createThread({ imported: true });
    await log.append(id, textEvents(4), { imported: true });
    await log.append(id, textEvents(2));
    const inside = await log.branch(id, 3, { metadata: {} });
    const after = await log.branch(id, 5);
    const below = await log.branch(after.id, 2);
    assert.deepEqual([inside.importedSeq, after.importedSeq, below.importedSeq], [3, 4, 2]);
    await log.deleteThread(id);
    assert.equal((await log.getThread(inside.id))?.importedSeq, 3);
    const own = await log.createThread();
    await log.append(own.id, textEvents(2));
    assert.equal((await log.branch(own.id, 1, { imported: true })).importedSeq, undefined);
  });
}
