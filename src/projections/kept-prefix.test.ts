import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptPrefix } from './kept-prefix.ts';

interface Item {
  readonly name: string;
}

/** A memory of the names so far, which counts what it makes. */
function setUp() {
  const made: string[] = [];
  const names = new KeptPrefix<Item, string>(({ name }, before = '') => {
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
});
