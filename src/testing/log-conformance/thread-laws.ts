import assert from 'node:assert/strict';
import type {
  AppendOptions,
  NewThread,
  RawAppendOptions,
  ReadRange,
  TailOptions,
  Thread,
  ThreadChange,
  ThreadFilter,
} from '../../log/event-log.ts';
import { type Law, range, refuses, seqs, textEvents } from './suite.ts';
import { notCounts } from './read-laws.ts';

/** Ids that no store can be trusted with. */
export const hostileIds = [
  '',
  '\u0000',
  'a\u0000b',
  'a\nb',
  '\u007f',
  '\u0085',
  '\ud800',
  'a\udc00',
  'x'.repeat(10_240),
];

const ids = (threads: readonly Thread[]) => threads.map(thread => thread.id);

/** Registers the tests of creating, changing and deleting threads. */
export function threadLaws(law: Law): void {
  law('are reported when they are deleted, if the log reports it, until nobody listens', async ({ log }) => {
    const deleted: string[] = [];
    const unsubscribe = log.onDeleted?.(threadId => deleted.push(threadId));
    for (const id of ['a', 'b', 'c']) await log.createThread({ id });
    await log.deleteThread('b');
    await refuses('thread_not_found', log.deleteThread('b'));
    unsubscribe?.();
    await log.deleteThread('a');
    assert.deepEqual(deleted, unsubscribe ? ['b'] : []);
  });

  law('refuse an option that no method has, before anything changes', async ({ log }) => {
    const { id } = await log.createThread();
    const misspelt = { titel: 'A title' };
    const refusals = [
      () => log.createThread(misspelt as NewThread),
      () => log.branch(id, 0, misspelt as NewThread),
      () => log.updateThread(id, misspelt as ThreadChange),
      () => log.listThreads(misspelt as ThreadFilter),
      () => log.append(id, [], misspelt as AppendOptions),
      () => log.appendRaw(id, 'r', [], misspelt as RawAppendOptions),
      () => log.read(id, misspelt as ReadRange),
      () => log.readTexts(id, misspelt as ReadRange),
      () => log.acquireLease('l', { owner: 'o', ttlMs: 1, ...misspelt }),
      async () => log.tail(id, 0, misspelt as TailOptions),
    ];
    for (const refusal of refusals) await refuses('invalid_argument', refusal());
    assert.deepEqual(ids(await log.listThreads()), [id]);
  });

  law('creates a thread with defaults, and with everything given', async ({ log, clock }) => {
    const now = new Date(clock.now()).toISOString();
    const plain = await log.createThread();
    assert.match(plain.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const { id } = plain;
    assert.deepEqual(plain, { id, resourceId: 'default', metadata: {}, createdAt: now, updatedAt: now, seq: 0 });
    const given = { id: 'ünï/🧭 id', resourceId: 'tenant', title: 'A \u0000\ud800 title', metadata: { a: [1] } };
    const full = await log.createThread(given);
    assert.deepEqual(full, { ...given, createdAt: now, updatedAt: now, seq: 0 });
    assert.deepEqual(await log.getThread(given.id), full);
  });

  law('refuses an id that is taken', async ({ log }) => {
    await log.createThread({ id: 'a', title: 'first' });
    await refuses('thread_exists', log.createThread({ id: 'a', title: 'second' }));
    await refuses('thread_exists', log.branch('a', 0, { id: 'a' }));
    assert.equal((await log.getThread('a'))?.title, 'first');
  });

  law('refuses ids that cannot be held faithfully', async ({ log }) => {
    for (const id of hostileIds) {
      await refuses('invalid_argument', log.createThread({ id }));
      await refuses('invalid_argument', log.createThread({ resourceId: id }));
    }
    assert.deepEqual(await log.listThreads(), []);
  });

  law('never takes such an id for another one', async ({ log }) => {
    for (const id of ['\ufffd', 'a', 'a\ufffd']) {
      await log.createThread({ id, resourceId: id });
    }
    for (const id of hostileIds) {
      assert.equal(await log.getThread(id), undefined);
      assert.deepEqual(await log.listThreads({ resourceId: id }), []);
      await refuses('thread_not_found', log.append(id, textEvents(1)));
      await refuses('thread_not_found', log.read(id));
      await refuses('thread_not_found', log.deleteThread(id));
    }
  });

  law('merges metadata key by key, and null removes a key', async ({ log, clock }) => {
    const { id, createdAt } = await log.createThread({ title: 't', metadata: { a: 1, b: { c: 1 }, gone: null } });
    clock.advance(5);
    const changed = await log.updateThread(id, { metadata: { b: { d: [null] }, e: 'x', a: null, same: undefined } });
    assert.deepEqual(changed.metadata, { b: { d: [null] }, e: 'x' });
    assert.equal(changed.title, 't');
    assert.equal(changed.createdAt, createdAt);
    assert.equal(changed.updatedAt, new Date(clock.now()).toISOString());
    const renamed = await log.updateThread(id, { title: '', metadata: { e: undefined } });
    assert.deepEqual([renamed.title, renamed.metadata], ['', { b: { d: [null] }, e: 'x' }]);
    assert.deepEqual(await log.getThread(id), renamed);
  });

  law('merges changes that are made at once', async ({ log }) => {
    const { id } = await log.createThread();
    await Promise.all(range(1, 10).map(n => log.updateThread(id, { metadata: { [`key${n}`]: n } })));
    assert.equal(Object.keys((await log.getThread(id))?.metadata ?? {}).length, 10);
  });

  law('keeps any key of metadata as it is, and refuses what is not JSON', async ({ log }) => {
    const metadata = JSON.parse('{"__proto__":{"a":1},"\\u0000":"\\ud800"}') as Record<string, unknown>;
    const { id } = await log.createThread({ metadata });
    assert.equal(JSON.stringify((await log.getThread(id))?.metadata), JSON.stringify(metadata));
    await refuses('invalid_argument', log.updateThread(id, { title: 'x', metadata: { big: 1n } }));
    await refuses('invalid_argument', log.createThread({ id: 'new', metadata: { big: 1n } }));
    assert.equal((await log.getThread(id))?.title, undefined);
    assert.equal(await log.getThread('new'), undefined);
  });

  law('is not reached by changes to a thread object', async ({ log }) => {
    const metadata = { list: [1] };
    const spoil = (thread: Thread | undefined) => (thread?.metadata['list'] as number[] | undefined)?.push(2);
    const created = await log.createThread({ id: 'a', metadata });
    metadata.list.push(2);
    spoil(created);
    spoil(await log.getThread('a'));
    spoil(await log.updateThread('a', { title: 't' }));
    spoil((await log.listThreads())[0]);
    assert.deepEqual((await log.getThread('a'))?.metadata, { list: [1] });
  });

  law('deletes a thread at once, and its id may be used again', async ({ log }) => {
    await log.createThread({ id: 'a', metadata: { old: true } });
    await log.append('a', textEvents(3), { once: 'key' });
    await log.deleteThread('a');
    assert.equal(await log.getThread('a'), undefined);
    assert.deepEqual(await log.listThreads(), []);
    await refuses('thread_not_found', log.read('a'));
    await refuses('thread_not_found', log.updateThread('a', {}));
    await refuses('thread_not_found', log.deleteThread('a'));
    await refuses('thread_not_found', log.branch('a', 1));
    const again = await log.createThread({ id: 'a' });
    assert.deepEqual([again.seq, again.metadata], [0, {}]);
    await log.append('a', textEvents(1), { once: 'key' });
    assert.deepEqual(seqs(await log.read('a')), [1]);
  });
}

/** Registers the tests of `listThreads`. */
export function listingLaws(law: Law): void {
  law('lists the newest first by updatedAt, then by id, the highest first', async ({ log, clock }) => {
    for (const id of ['c', 'a', '\u{1f9ed}', '\uff5e', 'b']) await log.createThread({ id });
    assert.deepEqual(ids(await log.listThreads()), ['\u{1f9ed}', '\uff5e', 'c', 'b', 'a']);
    clock.advance(1);
    await log.append('c', textEvents(1));
    clock.advance(1);
    await log.updateThread('b', { title: 'b' });
    assert.deepEqual(ids(await log.listThreads()), ['b', 'c', '\u{1f9ed}', '\uff5e', 'a']);
  });

  law('lists the thread that was made last first, also within a millisecond', async ({ log }) => {
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.push((await log.createThread()).id);
    assert.deepEqual(ids(await log.listThreads()), made.toReversed());
  });

  law(
    'lists the thread that was appended to last first, however close together appends come',
    async ({ log, clock }) => {
      for (const id of ['a', 'b', 'c']) await log.createThread({ id });
      for (const [step, id] of 'aabbcabacca'.split('').entries()) {
        clock.advance(1 + (step % 3) * 7);
        await log.append(id, textEvents(1), step % 2 === 0 ? {} : { metadata: { step } });
        const [first] = await log.listThreads();
        assert.equal(first?.id, id);
        const behind = clock.now() - Date.parse(first.updatedAt);
        assert.ok(behind >= 0 && behind < 10, `${behind} ms behind`);
        if (step % 2 === 1) assert.equal(first.metadata['step'], step);
      }
    },
  );

  law('lists page by page, every thread once', async ({ log, clock }) => {
    for (const n of range(1, 25)) {
      await log.createThread({ id: `t${n}` });
      if (n % 4 === 0) clock.advance(1);
    }
    const all = ids(await log.listThreads());
    assert.equal(new Set(all).size, 25);
    const paged: Thread[] = [];
    for (;;) {
      const after = paged.at(-1);
      const page = await log.listThreads({ limit: 7, ...(after && { after }) });
      if (page.length === 0) break;
      paged.push(...page);
    }
    assert.deepEqual(ids(paged), all);
  });

  law('lists at most 100 when no limit is given', async ({ log }) => {
    for (let n = 0; n < 101; n++) await log.createThread();
    assert.equal((await log.listThreads()).length, 100);
    assert.equal((await log.listThreads({ limit: 101 })).length, 101);
    assert.deepEqual(await log.listThreads({ limit: 0 }), []);
    for (const limit of notCounts) await refuses('invalid_argument', log.listThreads({ limit }));
  });

  law('lists the threads of one resource, also page by page', async ({ log }) => {
    for (const n of range(1, 6)) await log.createThread({ id: `t${n}`, resourceId: n % 2 === 0 ? 'even' : 'odd' });
    assert.deepEqual(ids(await log.listThreads({ resourceId: 'even' })), ['t6', 't4', 't2']);
    const [first] = await log.listThreads({ resourceId: 'odd', limit: 1 });
    assert.ok(first);
    assert.deepEqual(ids(await log.listThreads({ resourceId: 'odd', after: first })), ['t3', 't1']);
    assert.deepEqual(await log.listThreads({ resourceId: 'nobody' }), []);
  });
}
