import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SharedMap } from './shared-map.ts';

describe('a shared map', () => {
  it('contains what a plain map contains, and no earlier version ever changes', () => {
    const entry = fc.tuple(
      fc.nat(90).map(n => `k${n}`),
      fc.nat(),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 300 }), entries => {
        let map = SharedMap.from<number>([]);
        const plain = new Map<string, number>();
        const versions = [{ map, entries: [] as [string, number][] }];
        for (const [key, value] of entries) {
          map = map.with(key, value);
          plain.set(key, value);
          versions.push({ map, entries: [...plain] });
        }
        for (const version of versions.filter((_, at) => at % 37 === 0 || at === entries.length)) {
          expect([...version.map]).toEqual(version.entries);
          expect(version.map.toMap()).toEqual(new Map(version.entries));
          expect(version.map.size).toBe(version.entries.length);
          for (const [key, value] of version.entries) expect(version.map.get(key)).toBe(value);
        }
        expect([map.has('none'), map.get('none')]).toEqual([false, undefined]);
      }),
      { numRuns: 50 },
    );
  });

  it('continues an older version without changing the newer one', () => {
    const older = SharedMap.from(Array.from({ length: 1100 }, (_, at) => [`k${at}`, at] as const));
    const newer = older.with('a', 1);
    const branch = older.with('b', 2);
    expect([newer.has('b'), branch.has('a'), older.size]).toEqual([false, false, 1100]);
    expect([newer.get('k1099'), branch.get('k1040'), branch.get('b')]).toEqual([1099, 1040, 2]);
  });
});
