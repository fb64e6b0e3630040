import { describe, expect, it } from 'vitest';
import { advance, emptyMoment, type Moment } from './index.ts';

interface Tables {
  list: number;
}
const add = (from: Moment<Tables>, value: number) =>
  advance(from, {}, draft => {
    draft.add('list', 'a', value);
    draft.grow('text', `${value}`);
  });
const read = (moment: Moment<Tables>) => [moment.all('list', 'a'), moment.count('list', 'a'), moment.text('text')];

describe('a versioned store', () => {
  it('lets every older state read its own values', () => {
    const one = add(emptyMoment(), 1);
    const two = add(one, 2);
    expect([read(one), read(two)]).toEqual([
      [[1], 1, '1'],
      [[1, 2], 2, '12'],
    ]);
    expect(two.from('list', 'a', 1)).toEqual([2]);
  });

  it('branches from older states, however often', () => {
    let state = emptyMoment<Tables>();
    for (let n = 0; n < 60; n++) {
      add(state, -1);
      state = add(state, n);
    }
    const expected = Array.from({ length: 60 }, (_, n) => n);
    expect(read(state)).toEqual([expected, 60, expected.join('')]);
    expect(state.from('list', 'a', 58)).toEqual([58, 59]);
    expect(state.store.depth).toBeLessThanOrEqual(17);
  });

  it('returns the same state for the same step, and the given one when nothing changes', () => {
    const event = {};
    const from = emptyMoment<Tables>();
    const write = (draft: { add: (name: 'list', key: string, value: number) => void }) => draft.add('list', 'a', 1);
    expect(advance(from, event, write)).toBe(advance(from, event, write));
    expect(advance(from, {}, () => {})).toBe(from);
    const seen = advance(from, { seq: 2 }, () => {});
    expect(advance(seen, { seq: 2 }, write)).toBe(seen);
  });
});
