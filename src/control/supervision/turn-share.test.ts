import { describe, expect, it } from 'vitest';
import { TurnShare } from './turn-share.ts';

/** Lets many callers work at once, each for some milliseconds; returns their order and how many worked in each turn. */
async function work(callers: number, ms: number) {
  let now = 0;
  const share = new TurnShare(() => now);
  const order: number[] = [];
  const inTurns: number[] = [];
  let counted = 0;
  const countTurn = () => {
    inTurns.push(order.length - counted);
    counted = order.length;
    if (counted < callers) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  await Promise.all(
    Array.from({ length: callers }, async (_, index) => {
      await share.next();
      order.push(index);
      now += ms;
    }),
  );
  return { order, inTurns };
}

describe('the share of runs in the event loop', () => {
  it('lets others have their turn when the work takes long, and keeps the order of callers', async () => {
    const { order, inTurns } = await work(40, 2);
    expect(order).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(4);
  });

  it('lets at least one caller continue in each turn, however long it works', async () => {
    const { order, inTurns } = await work(10, 1000);
    expect(order).toHaveLength(10);
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(2);
  });

  it('makes nobody wait while the work is short', () => {
    const share = new TurnShare(() => 0);
    expect(Array.from({ length: 100 }, () => share.next()).filter(turn => turn !== undefined)).toEqual([]);
  });
});
