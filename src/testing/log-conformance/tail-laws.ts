import assert from 'node:assert/strict';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { drain, type Law, range, refuses, seqs, settle, take, takeNext, textEvents } from './suite.ts';

/** Registers the tests of an active `tail`. */
export function tailLaws(law: Law): void {
  law('gives only events of the types that are asked for, before and after the seam', async ({ log }) => {
    const { id } = await log.createThread();
    const warning = (message: string): AgentEvent => ({ type: 'warning', runId: 'run', message });
    const fact = (name: string): AgentEvent => ({ type: 'custom', runId: 'run', name, data: null });
    await log.append(id, [warning('1'), fact('a'), warning('2')]);
    const tailed = take(4, log.tail(id, 0, { types: ['warning'] }));
    await settle();
    await log.append(id, [fact('b')]);
    await log.append(id, [fact('c'), warning('3')]);
    await log.append(id, [warning('4')]);
    assert.deepEqual(
      (await tailed).map(({ seq }) => seq),
      [1, 3, 6, 7],
    );
  });

  law('has the text of an event that is taken from it, where it has one', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(2));
    const tail = log.tail(id);
    const texts = (async () => {
      const found: (readonly [number, string])[] = [];
      for await (const event of tail) {
        found.push([event.seq, tail.textOf?.(event) ?? JSON.stringify(event)]);
        if (found.length === 7) break;
      }
      return found;
    })();
    await settle();
    await log.append(id, textEvents(3));
    await log.append(id, textEvents(2));
    const expected = (await log.readTexts(id)).map((text, index) => [index + 1, text]);
    assert.deepEqual(await texts, expected);
  });

  law('gives history, then what is appended, without gap or duplicate', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(1203));
    const tailed = take(1210, log.tail(id));
    await log.append(id, textEvents(2));
    await settle();
    await log.append(id, textEvents(3));
    await log.append(id, textEvents(2));
    assert.deepEqual(seqs(await tailed), range(1, 1210));
  });

  law('begins after the seq it is given, also one that is yet to come', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(3));
    const [early, late] = [take(3, log.tail(id, 2)), take(1, log.tail(id, 4))];
    await settle();
    for (let n = 0; n < 3; n++) await log.append(id, textEvents(1));
    assert.deepEqual(seqs(await early), [3, 4, 5]);
    assert.deepEqual(seqs(await late), [5]);
  });

  law('gives every one of many readers everything', async ({ log }) => {
    const { id } = await log.createThread();
    const readers = range(1, 20).map(n => take(30 - n, log.tail(id, n)));
    for (const n of range(1, 10)) {
      await log.append(id, textEvents(3));
      if (n % 3 === 0) await settle();
    }
    for (const [index, reader] of readers.entries()) assert.deepEqual(seqs(await reader), range(index + 2, 30));
  });

  law('gives only what belongs to its thread', async ({ log }) => {
    const [a, b] = [await log.createThread(), await log.createThread()];
    const tailed = take(2, log.tail(a.id));
    await settle();
    await log.append(b.id, textEvents(1, 100));
    await log.append(a.id, textEvents(2));
    assert.deepEqual(
      (await tailed).map(event => event.type === 'text' && event.content),
      ['1', '2'],
    );
  });

  law('gives a slow reader everything, while a fast one is not held up', async ({ log }) => {
    const { id } = await log.createThread();
    const slow = log.tail(id)[Symbol.asyncIterator]();
    const fast = take(600, log.tail(id));
    await log.append(id, textEvents(1));
    const seen = [(await slow.next()).value.seq];
    for (let n = 0; n < 599; n++) await log.append(id, textEvents(1));
    assert.deepEqual(seqs(await fast), range(1, 600));
    while (seen.length < 600) seen.push((await slow.next()).value.seq);
    assert.deepEqual(seen, range(1, 600));
    await slow.return?.();
  });

  law('follows a branch through the history it shares', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(5));
    const child = await log.branch(id, 3);
    const tailed = take(5, log.tail(child.id));
    await settle();
    await log.append(id, textEvents(1));
    await log.append(child.id, textEvents(2, 50));
    assert.deepEqual(
      (await tailed).map(event => event.type === 'text' && event.content),
      ['1', '2', '3', '50', '51'],
    );
  });
}

/** How a tail ends. */
export function tailEndLaws(law: Law): void {
  law('ends without an error when the signal aborts: before it, while it reads and while it waits', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(3));
    assert.deepEqual(await drain(log.tail(id, 0, { signal: AbortSignal.abort() })), []);

    const reading = new AbortController();
    const read: number[] = [];
    for await (const event of log.tail(id, 0, { signal: reading.signal })) {
      read.push(event.seq);
      if (event.seq === 2) reading.abort();
    }
    assert.deepEqual(read, [1, 2]);

    const waiting = new AbortController();
    const tail = log.tail(id, 0, { signal: waiting.signal })[Symbol.asyncIterator]();
    assert.deepEqual(seqs(await takeNext(3, tail)), [1, 2, 3]);
    const next = tail.next();
    await settle();
    waiting.abort();
    assert.equal((await next).done, true);
  });

  law('ends without an error when the log is closed', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(3));
    const tails = [log.tail(id), log.tail(id, 3)].map(tail => tail[Symbol.asyncIterator]());
    const [reading] = tails;
    assert.deepEqual(reading && seqs(await takeNext(3, reading)), [1, 2, 3]);
    const ends = tails.map(tail => tail.next());
    await settle();
    await log.close();
    assert.deepEqual(
      (await Promise.all(ends)).map(({ done }) => done),
      [true, true],
    );
  });

  law('is left by an early break, and other readers go on', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(3));
    const tail = log.tail(id);
    const other = take(5, log.tail(id));
    assert.deepEqual(seqs(await take(1, tail)), [1]);
    assert.deepEqual(seqs(await drain(tail)), []);
    await log.append(id, textEvents(2));
    assert.deepEqual(seqs(await other), range(1, 5));
  });

  law('is left at once by a reader that waits', async ({ log }) => {
    const { id } = await log.createThread();
    const tail = log.tail(id)[Symbol.asyncIterator]();
    const next = tail.next();
    await settle();
    await tail.return?.();
    assert.equal((await next).done, true);
  });

  law('refuses an unknown thread, and a seq that is none', async ({ log }) => {
    const { id } = await log.createThread();
    await refuses('thread_not_found', drain(log.tail('nobody')));
    await refuses('invalid_argument', drain(log.tail(id, -1)));
    await refuses('invalid_argument', drain(log.tail(id, Number.NaN)));
  });

  law('ends with thread_not_found when its thread is deleted, whether it waits or reads', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(3));
    const waiting = drain(log.tail(id));
    const reading = log.tail(id)[Symbol.asyncIterator]();
    assert.equal((await reading.next()).value.seq, 1);
    await settle();
    await Promise.all([log.deleteThread(id), refuses('thread_not_found', waiting)]);
    const rest = async () => {
      while (!(await reading.next()).done);
    };
    await refuses('thread_not_found', rest());
  });

  law('does not go on in another thread that gets the id of a deleted one', async ({ log }) => {
    const { id } = await log.createThread();
    await log.append(id, textEvents(2));
    const waiting = drain(log.tail(id));
    await settle();
    const ended = refuses('thread_not_found', waiting);
    await Promise.all([log.deleteThread(id), log.createThread({ id }), log.append(id, textEvents(5))]);
    await ended;
  });
}
