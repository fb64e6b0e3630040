import { describe, expect, it } from 'vitest';
import { sameFields } from './same-fields.ts';

describe('same fields', () => {
  it.each<[object, object, boolean]>([
    [{ a: 1, b: { c: 'x' } }, { a: 1, b: { c: 'x' } }, true],
    [{ a: 1, b: { c: 'x' } }, { a: 1, b: { c: 'y' } }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: null }, { a: {} }, false],
    [{ a: undefined }, { b: undefined }, false],
  ])('compares %j with %j', (a, b, same) => expect(sameFields(a, b)).toBe(same));
});
