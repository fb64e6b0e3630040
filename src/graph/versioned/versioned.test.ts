import { describe, expect, it } from 'vitest';
import { advance, emptySnapshot } from './advance.ts';
import type { Snapshot } from './store.ts';

interface Tables {
  list: number;
}
const add = (from: Snapshot<Tables>, value: number) =>
  advance(from, {}, draft => {
    draft.add('list', 'a', value);
    draft.grow('text', `${value}`);
  });
const read = (snapshot: Snapshot<Tables>) => [
  snapshot.all('list', 'a'),
  snapshot.count('list', 'a'),
  snapshot.text('text'),
];

describe('a versioned store', () => {
  it('lets every older state read its own values', () => {
    const one = add(emptySnapshot(), 1);
    const two = add(one, 2);
    expect([read(one), read(two)]).toEqual([
      [[1], 1, '1'],
      [[1, 2], 2, '12'],
    ]);
    expect(two.from('list', 'a', 1)).toEqual([2]);
  });

  it('branches from older states, however often', () => {
    let state = emptySnapshot<Tables>();
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
    const from = emptySnapshot<Tables>();
    const write = (draft: { add: (name: 'list', key: string, value: number) => void }) => draft.add('list', 'a', 1);
    expect(advance(from, event, write)).toBe(advance(from, event, write));
    expect(advance(from, {}, () => {})).toBe(from);
    const seen = advance(from, { seq: 2 }, () => {});
    expect(advance(seen, { seq: 2 }, write)).toBe(seen);
  });

  it('gives each step of a state and of its branches a version of its own', () => {
    const versions: number[] = [];
    const step = (from: Snapshot<Tables>) =>
      advance(from, {}, draft => {
        versions.push(draft.version);
        draft.add('list', 'a', 0);
      });
    const one = step(emptySnapshot());
    step(step(one));
    for (let depth = 0, at = one; depth < 20; depth++, at = step(at)) step(at);
    expect(new Set(versions).size).toBe(versions.length);
  });

  it('completes the owner of a text in each state, and once with the newest text', () => {
    const owner = { id: 1 };
    const grow = (from: Snapshot<Tables>, fragment: string) =>
      advance(from, {}, draft => draft.grow('text', fragment, owner));
    const read = (from: Snapshot<Tables>) => from.completed('text', (value, text) => ({ ...value, text }));
    const one = grow(emptySnapshot(), 'a');
    let branch = one;
    for (let depth = 0; depth < 20; depth++) {
      grow(branch, '-');
      branch = grow(branch, 'b');
    }
    expect([read(one), read(branch)]).toEqual([
      { id: 1, text: 'a' },
      { id: 1, text: `a${'b'.repeat(20)}` },
    ]);
    expect(read(branch)).toBe(read(branch));
    expect(read(add(one, 1))).toEqual({ id: 1, text: 'a1' });
  });
});
