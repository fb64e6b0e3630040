import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Call } from './block-messages.ts';
import { ProviderCallIds } from './provider-call-ids.ts';

/** A call with the id that a model gave it. */
const callOf = (raw: string, order: number) =>
  ({ id: `r/${order}`, runId: 'r', order, event: { id: `r/${raw}` } }) as unknown as Call;

describe('the ids of tool calls for a provider', () => {
  it('are the same after calls were taken back as if these had never been given ids', () => {
    const raws = fc.constantFrom('c', 'c_2', 'c_3', 'd', `${'x'.repeat(63)}yz`, 'x'.repeat(64));
    const step = fc.oneof({ weight: 3, arbitrary: raws }, { weight: 1, arbitrary: fc.constant(undefined) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const ids = new ProviderCallIds();
        const calls: Call[] = [];
        for (const [order, raw] of steps.entries()) {
          const last = raw === undefined ? calls.pop() : undefined;
          if (last !== undefined) expect(ids.takeBack([last])).toBe(true);
          if (raw === undefined) continue;
          calls.push(callOf(raw, order));
          expect(ids.give(calls.slice(-1))).toBe(true);
        }
        const fresh = new ProviderCallIds();
        fresh.give(calls);
        const given = calls.map(call => ids.of(call));
        expect(given).toEqual(calls.map(call => fresh.of(call)));
        expect(new Set(given).size).toBe(calls.length);
      }),
    );
  });
});
