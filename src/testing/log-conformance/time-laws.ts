import assert from 'node:assert/strict';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { type Context, type Law, textEvent } from './suite.ts';

const hourMs = 3_600_000;
const at = (clock: Context['clock'], ms: number) => new Date(clock.now() + ms).toISOString();
const times = async ({ log }: Pick<Context, 'log'>, id: string) => (await log.read(id)).map(({ ts }) => ts);

/** Registers the tests of the times of events. */
export function timeLaws(law: Law): void {
  law('never gives an event an earlier time than the one before it, also when the clock jumps back', async context => {
    const { log, clock } = context;
    const { id } = await log.createThread();
    const first = at(clock, 0);
    await log.append(id, [textEvent('a')]);
    clock.jump(-hourMs);
    await log.append(id, [textEvent('b'), textEvent('c')]);
    assert.deepEqual(await times(context, id), [first, first, first]);
    const child = await log.branch(id, 2);
    await log.append(child.id, [textEvent('d')]);
    assert.deepEqual(await times(context, child.id), [first, first, first]);
    clock.jump(2 * hourMs);
    await log.append(id, [textEvent('e')]);
    assert.deepEqual((await times(context, id)).at(-1), at(clock, 0));
  });

  law('raises a time that an event carries to that of the event before it', async context => {
    const { log, clock } = context;
    const { id } = await log.createThread();
    const dated = (ts: string): AgentEvent => ({ ...textEvent(ts), ts });
    await log.append(id, [dated(at(clock, 5))]);
    await log.append(id, [
      dated(at(clock, 3)),
      dated('2025-01-01T00:00:00+00:00'),
      dated(at(clock, 9)),
      dated(at(clock, 7)),
    ]);
    const expected = [5, 5, 5, 9, 9].map(ms => at(clock, ms));
    assert.deepEqual(await times(context, id), expected);
    const texts = await log.readTexts(id);
    assert.deepEqual(
      texts.map(text => (JSON.parse(text) as AgentEvent).ts),
      expected,
    );
  });

  law('keeps the times of imported events', async context => {
    const { log, clock } = context;
    const { id } = await log.createThread({ imported: true });
    const given = [at(clock, 10), at(clock, -10)];
    for (const ts of given) await log.append(id, [{ ...textEvent('a'), ts }], { imported: true });
    assert.deepEqual(await times(context, id), given);
  });
}
