import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

describe('the lock file', () => {
  it('has the integrity of every package but those of other platforms that only development uses', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, LockedPackage>;
    };
    const unchecked = Object.entries(packages).filter(
      ([path, { integrity }]) => path !== '' && integrity === undefined,
    );
    expect(unchecked.filter(([, { dev, optional }]) => dev !== true || optional !== true)).toEqual([]);
  });
});
