import assert from 'node:assert/strict';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { type Law, textEvent, untyped } from './suite.ts';

const hostile = '\u0000 \ud800 \udfff \u2028 \ufeff \u0001 \u{1f9ed} "\\ \r\n';

/** Events that every store must return unchanged; `__proto__` is an own property in them. */
const unusual: AgentEvent[] = [
  textEvent(hostile, hostile),
  textEvent('x'.repeat(3_000_000)),
  textEvent(''),
  untyped({ type: 'not_yet_invented', runId: 'run', body: { deep: [1, null, 'two'] } }),
  untyped({ ...textEvent('a'), 'x-extra': { kept: true }, [hostile]: hostile, '': 0 }),
  untyped(JSON.parse('{"type":"text","runId":"run","id":"a","content":"b","__proto__":{"polluted":true}}')),
  untyped(JSON.parse('{"type":"custom","runId":"run","name":"n","data":{"__proto__":null,"constructor":1,"2":3}}')),
  { type: 'unknown', runId: 'run', raw: null },
  { type: 'custom', runId: 'run', name: 'numbers', data: [1e308, 5e-324, -1.5, 2 ** 53, 0.1] },
  { type: 'text', id: 'order', ts: '2025-01-01T00:00:00Z', seq: 9, content: 'keys keep their order', runId: 'run' },
];

/** Nothing an event carries is changed or shared. */
export function fidelityLaws(law: Law): void {
  law(
    'gives back the JSON text of every event as it was appended, of any type and with any field',
    async ({ log, clock }) => {
      const { id } = await log.createThread();
      await log.append(id, unusual);
      const ts = new Date(clock.now()).toISOString();
      const expected = unusual.map((event, index) => JSON.stringify({ ...event, seq: index + 1, ts: event.ts ?? ts }));
      const read = await log.read(id);
      assert.deepEqual(
        read.map(event => JSON.stringify(event)),
        expected,
      );
      assert.deepEqual(await log.readTexts(id), expected);
      assert.deepEqual(await log.readTexts(id, { after: 3, limit: 2 }), expected.slice(3, 5));
      const tailed: string[] = [];
      for await (const event of log.tail(id)) {
        tailed.push(JSON.stringify(event));
        if (tailed.length === expected.length) break;
      }
      assert.deepEqual(tailed, expected);
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    },
  );

  law('is not reached by changes to an appended object', async ({ log }) => {
    const { id } = await log.createThread();
    const data = { list: [1] };
    const event: AgentEvent = { type: 'custom', runId: 'run', name: 'n', data };
    await log.append(id, [event]);
    data.list.push(2);
    event.name = 'changed';
    assert.equal(event.seq, undefined);
    const [read] = await log.read(id);
    assert.deepEqual(read?.type === 'custom' && [read.name, read.data], ['n', { list: [1] }]);
  });

  law('is not reached by changes to an object that was read or tailed', async ({ log }) => {
    const { id } = await log.createThread();
    const spoil = (event: AgentEvent | undefined) => {
      try {
        if (event?.type === 'custom') (event.data as number[]).push(2);
      } catch {
        // It is frozen.
      }
    };
    const tails = [log.tail(id), log.tail(id)].map(tail => tail[Symbol.asyncIterator]());
    const live = tails.map(tail => tail.next());
    await log.append(id, [{ type: 'custom', runId: 'run', name: 'n', data: [1] }]);
    for (const next of live) {
      const event = (await next).value as AgentEvent | undefined;
      assert.deepEqual(event?.type === 'custom' && event.data, [1]);
      spoil(event);
    }
    for (let time = 0; time < 2; time++) {
      const [event] = await log.read(id);
      assert.deepEqual(event?.type === 'custom' && event.data, [1]);
      spoil(event);
    }
    for (const tail of tails) await tail.return?.();
  });
}
