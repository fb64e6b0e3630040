import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globPattern } from './glob-pattern.ts';

describe('a pattern', () => {
  it.each([
    ['*.ts', ['a.ts', 'x/y/a.ts'], ['a.tsx', 'a.ts/b']],
    ['src/*.ts', ['src/a.ts'], ['src/x/a.ts', 'a.ts', 'x/src/a.ts']],
    ['./a.ts', ['a.ts'], ['x/a.ts']],
    ['src/**', ['src/a', 'src/a/b'], ['a/src/b']],
    ['**/x/**/*.md', ['x/a.md', 'a/x/b/c.md'], ['y/a.md']],
    ['a?c', ['abc', 'a😀c'], ['ac', 'abbc']],
    ['[a-c]*', ['abc', 'c'], ['d']],
    ['[!a-c]x', ['dx'], ['ax']],
    ['[]]', [']'], ['[']],
    ['[', ['['], ['a']],
    ['a[b', ['a[b'], ['ab']],
    ['{a,b/{c,d}}.ts', ['a.ts', 'b/c.ts', 'b/d.ts'], ['b.ts', 'c.ts']],
    ['{a', ['{a'], ['a']],
    ['a.b', ['a.b'], ['axb']],
    ['$&(+)', ['$&(+)'], ['$']],
  ])('%s matches %j and not %j', (pattern, matching, others) => {
    const matches = globPattern(pattern);
    expect(matching.filter(path => !matches(path))).toEqual([]);
    expect(others.filter(matches)).toEqual([]);
  });

  it('matches as the same regular expression would', () => {
    const piece = fc.constantFrom('a', 'b', '*', '?', '/', '**/');
    const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map(pieces => `a/${pieces.join('')}`);
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'ba'), { minLength: 1, maxLength: 4 })
      .map(names => ['a', ...names].join('/'));
    fc.assert(
      fc.property(pattern, path, (pattern, path) => {
        const names = pattern.split('/').filter(name => name !== '');
        const source = names.map(name =>
          name === '**' ? '(?:/[^/]+)*' : `/${name.replaceAll(/\*+/g, '[^/]*').replaceAll('?', '[^/]')}`,
        );
        expect(globPattern(pattern)(path)).toBe(new RegExp(`^${source.join('')}$`).test(`/${path}`));
      }),
      { numRuns: 1_000 },
    );
  });

  it('needs time bounded by both lengths', () => {
    const matches = globPattern(`${'*a'.repeat(200)}b`);
    expect(matches('a'.repeat(4_000))).toBe(false);
    expect(globPattern('**/a/'.repeat(100))('a/'.repeat(1_000))).toBe(false);
  });

  it.each([
    ['x'.repeat(1_001), 'longer than 1000 characters'],
    ['{a,b}'.repeat(9), 'more than 256 alternatives'],
    [`{${','.repeat(900)}}`, 'more than 256 alternatives'],
    ['[z-a]', 'an invalid set: [z-a]'],
    ['/etc/*', 'starts with /'],
  ])('that is %j is refused', (pattern, problem) => {
    expect(() => globPattern(pattern)).toThrow(problem);
  });
});
