import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { createClock, type Law, type LogUnderTest, range, type TestRunner } from './suite.ts';

const mebibyte = 1024 * 1024;

/** A text of this length that does not compress. */
function longText(length: number, seed = ''): string {
  let text = '';
  for (let n = 0; text.length < length; n++) text += createHash('sha256').update(`${seed}${n}`).digest('base64');
  return text.slice(0, length);
}

const result = (number: number, context: string): AgentEvent => ({
  type: 'tool_result',
  runId: 'run',
  id: `call-${number}`,
  name: 'read',
  output: { context },
});

/** The laws of events with long texts. */
export function contentLaws(law: Law): void {
  law('reads back long texts as they were, also those that look like references to one', async ({ log }) => {
    await log.createThread({ id: 'a' });
    const long = `${longText(100_000)}"\\"\u0000\ud800 港`;
    const hash = createHash('sha256').update(JSON.stringify(long)).digest('hex');
    const likeness = `\u0003${hash}\u0003 \\u0003${hash}\\u0003 {"$ref":"${hash}"}`;
    const events = [
      result(1, long),
      result(2, likeness),
      { ...result(3, long), output: { context: likeness, data: { [long]: [long, likeness] } } } as AgentEvent,
      result(4, 'short'),
      result(5, `${likeness}${long}`),
      { type: 'user', runId: 'asked', content: [{ type: 'text', text: long }] } as AgentEvent,
    ];
    await log.append('a', events.slice(0, 1));
    await log.append('a', events.slice(1));
    const read = await log.read('a');
    assert.deepEqual(
      read.map(({ seq: _seq, ts: _ts, ...event }) => event),
      events,
    );
    assert.deepEqual(
      await log.readTexts('a'),
      read.map(event => JSON.stringify(event)),
    );
    await log.branch('a', 3, { id: 'b' });
    assert.deepEqual(await log.read('b'), read.slice(0, 3));
  });

  law('counts long texts when a page may have few bytes', async ({ log }) => {
    await log.createThread({ id: 'a' });
    const long = longText(200_000);
    await log.append(
      'a',
      range(1, 40).map(number => result(number, long)),
    );
    for (const read of [log.read('a', { maxBytes: mebibyte }), log.readTexts('a', { maxBytes: mebibyte })]) {
      const count = (await read).length;
      assert.ok(count > 0 && count < 15, `read ${count} events`);
    }
  });

  law('keeps a long text that is appended while the last event that has it is deleted', async ({ log }) => {
    const [one, two] = [longText(70_000, 'one'), longText(70_000, 'two')];
    for (const round of range(1, 10)) {
      const [old, other, next] = [`old-${round}`, `other-${round}`, `next-${round}`];
      for (const id of [old, other, next]) await log.createThread({ id });
      await log.append(old, [result(1, one), result(2, two)]);
      await log.append(other, [result(1, two), result(2, one)]);
      const appended = log.append(next, [result(1, two), result(2, one)]);
      await Promise.all([log.deleteThread(old), appended, log.deleteThread(other)]);
      const outputs = (await log.read(next)).map(event => event.type === 'tool_result' && event.output);
      assert.deepEqual(outputs, [{ context: two }, { context: one }]);
      await log.deleteThread(next);
    }
  });
}

/** The laws of the space that a store needs for long texts. */
export function storedContentLaws(
  runner: TestRunner,
  { open, storedBytes }: Pick<LogUnderTest, 'open' | 'storedBytes'>,
): void {
  if (storedBytes === undefined) return;
  runner.it('stores a long text once, until the last event that has it is deleted', async () => {
    const { now, uptime } = createClock();
    const log = await open({ now, uptime });
    try {
      for (const id of ['a', 'b', 'c']) await log.createThread({ id });
      const before = await storedBytes(log);
      const long = longText(mebibyte);
      for (const number of range(1, 20)) await log.append(['a', 'b', 'c'][number % 3] ?? '', [result(number, long)]);
      const grown = (await storedBytes(log)) - before;
      assert.ok(grown >= mebibyte && grown < 1.5 * mebibyte, `grew by ${grown} bytes`);
      await log.branch('c', 1, { id: 'branch' });
      for (const id of ['a', 'b', 'c']) await log.deleteThread(id);
      assert.deepEqual((await log.read('branch')).length, 1);
      assert.ok((await storedBytes(log)) - before >= mebibyte, 'the text is kept for the branch');
      await log.deleteThread('branch');
      const left = (await storedBytes(log)) - before;
      assert.ok(left < mebibyte / 4, `${left} bytes are left`);
      await log.createThread({ id: 'd' });
      await log.append('d', [result(1, long)]);
      assert.equal((await log.readTexts('d'))[0]?.includes(long), true);
    } finally {
      await log.close();
    }
  });
}
