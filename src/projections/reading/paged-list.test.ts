import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PagedList } from './paged-list.ts';

const numbers = (length: number) => Array.from({ length }, (_, index) => index);

it('holds what an array holds, whatever is kept, added and replaced, and leaves earlier lists as they were', () => {
  const change = fc.record({
    kept: fc.double({ min: 0, max: 1, noNaN: true }),
    added: fc.nat(600),
    replaced: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), changes => {
      let list = PagedList.of<number>([]);
      let array: number[] = [];
      const earlier: [PagedList<number>, number[]][] = [];
      for (const { kept, added, replaced } of changes) {
        const count = Math.floor(kept * array.length);
        list = list.withEnd(count, numbers(added));
        array = [...array.slice(0, count), ...numbers(added)];
        if (array.length > 0) {
          const place = Math.floor(replaced * array.length);
          list = list.with(place, -1);
          array = array.with(place, -1);
        }
        earlier.push([list, array]);
      }
      for (const [each, expected] of earlier) {
        expect(each.items).toEqual(expected);
        expect(each.length).toBe(expected.length);
      }
    }),
    { numRuns: 50 },
  );
});

it('reads a window as an array does', () => {
  const list = PagedList.of(numbers(1_000));
  for (const [from, to] of [[0, 3], [250, 260], [-5], [-5, -2], [990, 2_000], [5, 2], [-2_000, 2]] as const)
    expect(list.slice(from, to)).toEqual(numbers(1_000).slice(from, to));
  expect([list.at(0), list.at(511), list.at(-1), list.at(1_000), list.at(-1_001)]).toEqual([
    0,
    511,
    999,
    undefined,
    undefined,
  ]);
});

it('finds the last match without making the list', () => {
  const list = PagedList.of(numbers(1_000));
  expect(list.findLast(item => (item % 300 === 0 ? `item ${item}` : undefined))).toBe('item 900');
  expect(list.findLast(() => undefined)).toBeUndefined();
});
