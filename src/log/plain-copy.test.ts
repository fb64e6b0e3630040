import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainCopy } from './plain-copy.ts';

const nested = (levels: number): unknown => (levels === 0 ? 'end' : { in: nested(levels - 1) });

describe('a plain copy', () => {
  it('is what JSON makes of a value, and about as long', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withDate: true, withSparseArray: true }), value => {
        const plain = new PlainCopy();
        const copy = plain.of({ value });
        if (!plain.isExact) return;
        const text = JSON.stringify({ value });
        expect(copy).toStrictEqual(JSON.parse(text));
        expect(plain.length * 6).toBeGreaterThanOrEqual(text.length - 2);
      }),
      { numRuns: 500 },
    );
  });

  it('is made of every value of JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, noUnicodeString: false }), value => {
        const text = JSON.stringify(value);
        const plain = new PlainCopy();
        expect(JSON.stringify(plain.of(JSON.parse(text)))).toBe(text);
        expect(plain.isExact).toBe(true);
      }),
    );
  });

  it('shares no list and no object with the value', () => {
    const value = { list: [{ at: 1 }], deep: { at: [2] } };
    const copy = new PlainCopy().of(value) as typeof value;
    value.list[0]!.at = 3;
    value.deep.at.push(4);
    expect(copy).toEqual({ list: [{ at: 1 }], deep: { at: [2] } });
  });

  it.each([
    ['an absent field', { at: undefined }],
    ['minus zero', { at: -0 }],
    ['not a number', [Number.NaN]],
    ['a date', { at: new Date(0) }],
    ['an instance', new PlainCopy()],
    ['a function', { toJSON: () => 1 }],
    ['a hole', Object.assign([], { 1: 2 })],
    ['something deep', nested(20)],
  ])('is left to JSON for %s', (_, value) => {
    const plain = new PlainCopy();
    plain.of(value);
    expect(plain.isExact).toBe(false);
  });
});
