import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListOrigin, PrefixCache } from './prefix-cache.ts';

interface Item {
  readonly name: string;
}

/** A memory of the names so far, which counts what it makes. */
function setUp() {
  const made: string[] = [];
  const names = new PrefixCache<Item, string>(({ name }, before = '') => {
    made.push(name);
    return before + name;
  });
  return { made, names };
}

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name): Item => ({ name })) as [Item, Item, Item, Item];

describe('what is kept of lists that go on from one another', () => {
  it('is made once for what they begin with alike', () => {
    const { made, names } = setUp();
    expect(names.each([a, b])).toEqual(['a', 'ab']);
    expect(names.last([a, b, c])).toBe('abc');
    expect(names.each([a, b])).toEqual(['a', 'ab']);
    expect(names.last([a, b, c])).toBe('abc');
    expect(made).toEqual(['a', 'b', 'c']);
    expect(names.last([a, d, c])).toBe('adc');
    expect(made).toEqual(['a', 'b', 'c', 'd', 'c']);
  });

  it('is nothing of an empty list', () => {
    const { names } = setUp();
    expect([names.each([]), names.last([])]).toEqual([[], undefined]);
  });

  it('is what is made from scratch, whatever lists come in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom(a, b, c, d))), lists => {
        const { names } = setUp();
        for (const list of lists) {
          const expected = list.map((_, at) =>
            list
              .slice(0, at + 1)
              .map(({ name }) => name)
              .join(''),
          );
          expect([names.each(list), names.last(list)]).toEqual([expected, expected.at(-1)]);
        }
      }),
    );
  });

  it('is known to be the items themselves when it is', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom(a, b, c, d))), lists => {
        const others = new PrefixCache<Item, Item>(item => (item === d ? { ...d } : item));
        for (const list of lists) expect(others.changesNone(list)).toBe(!list.includes(d));
      }),
    );
  });

  it('is what is made from scratch, too, of copies of one list that grows and is cut', () => {
    const step = fc.oneof(
      fc.record({ push: fc.array(fc.constantFrom(a, b, c, d), { maxLength: 20 }) }),
      fc.record({ cut: fc.nat(30) }),
      fc.record({ replace: fc.constantFrom(a, b, c, d) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const { names } = setUp();
        const lengths = new PrefixCache<Item, Item>(item => item);
        const origin = new ListOrigin();
        const list: Item[] = [a];
        for (const next of steps) {
          if ('push' in next) list.push(...next.push);
          else if ('replace' in next) list[list.length - 1] = next.replace;
          else {
            list.length = Math.max(1, list.length - next.cut);
            origin.cutTo(list.length);
          }
          const given = origin.given([...list]);
          expect(names.last(lengths.each(given))).toBe(list.map(({ name }) => name).join(''));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('does not look again at what copies of one list begin with', () => {
    const origin = new ListOrigin();
    const list = Array.from({ length: 1000 }, (_, n): Item => ({ name: `${n} ` }));
    const looks: PropertyKey[] = [];
    const watched = (items: Item[]) =>
      origin.given(
        new Proxy(items, { get: (of, key) => (looks.push(key), Reflect.get(of, key) as unknown) }),
      ) as readonly Item[];
    const { made, names } = setUp();
    names.last(watched([...list]));
    looks.length = 0;
    const last = names.last(watched([...list, a]));
    expect([made.length, last?.endsWith('999 a')]).toEqual([1001, true]);
    expect(looks.length).toBeLessThan(50);
  });
});
