import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
};

describe('the lock file', () => {
  it('has the integrity of every package but those of other platforms that only development uses', () => {
    const unchecked = Object.entries(packages).filter(
      ([path, { integrity }]) => path !== '' && integrity === undefined,
    );
    expect(unchecked.filter(([, { dev, optional }]) => dev !== true || optional !== true)).toEqual([]);
  });

  it('requires of Node no more than this package does, so that `npm ci` warns of nothing', () => {
    const newer = Object.entries(packages).filter(
      ([, { engines }]) => Number(/^>= ?(\d+)[^|]*$/.exec(engines?.node ?? '')?.[1] ?? 0) > 20,
    );
    expect(newer.map(([path]) => path)).toEqual([]);
  });
});
