import { describe, expect, it } from 'vitest';
import { copyValue } from './copy-value.ts';

describe('the copy of a value', () => {
  it('is equal, and shares no plain object, array, map, set or date', () => {
    const value = {
      list: [{ a: 1 }],
      map: new Map([['k', { b: 2 }]]),
      set: new Set([1]),
      date: new Date(5),
      ['__proto__x']: null,
      none: undefined,
    };
    const copy = copyValue(value);
    expect(copy).toEqual(value);
    copy.list[0] = { a: 2 };
    copy.list.push({ a: 3 });
    const inner = copy.map.get('k');
    if (inner !== undefined) inner.b = 9;
    copy.set.add(2);
    copy.date.setTime(9);
    expect([value.list, value.map.get('k'), value.set.size, value.date.getTime()]).toEqual([
      [{ a: 1 }],
      { b: 2 },
      1,
      5,
    ]);
  });

  it('shares functions and class instances, and may contain itself', () => {
    class Counter {
      count = 0;
    }
    const value: Record<string, unknown> = { run: () => 1, counter: new Counter() };
    value['self'] = value;
    const copy = copyValue(value);
    expect([copy['run'], copy['counter'], copy['self']]).toEqual([value['run'], value['counter'], copy]);
    expect(copy['self']).toBe(copy);
  });
});
