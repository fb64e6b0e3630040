import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchFiles } from '../../../projections/activity/patch-files.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FilePatch, parsePatch } from './parse-patch.ts';

const parse = (...lines: string[]) => parsePatch(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
const apply = (text: string, ...lines: string[]) => {
  const [file] = parse('*** Update File: f', ...lines);
  return applyHunks(text, (file as FilePatch & { action: 'update' }).hunks, 'f');
};

describe('a patch', () => {
  it('is parsed section by section', () => {
    expect(
      parse(
        '*** Add File: a b.txt',
        '+one',
        '+*** Delete File: no marker',
        '*** Update File: old.ts',
        '*** Move to: new.ts',
        '@@ class X',
        ' stays',
        '',
        '-goes',
        '+comes',
        '*** End of File',
        '@@',
        '+more',
        '*** Delete File: gone.md',
      ),
    ).toEqual([
      { action: 'add', path: 'a b.txt', content: 'one\n*** Delete File: no marker\n' },
      {
        action: 'update',
        path: 'old.ts',
        moveTo: 'new.ts',
        hunks: [
          {
            anchor: 'class X',
            atEnd: true,
            lines: [
              { kind: ' ', text: 'stays' },
              { kind: ' ', text: '' },
              { kind: '-', text: 'goes' },
              { kind: '+', text: 'comes' },
            ],
          },
          { anchor: undefined, atEnd: false, lines: [{ kind: '+', text: 'more' }] },
        ],
      },
      { action: 'delete', path: 'gone.md' },
    ]);
  });

  it.each([
    ['x', 'does not start with "*** Begin Patch"'],
    ['*** Begin Patch\n*** Delete File: a', 'does not end with "*** End Patch"'],
    ['*** Begin Patch\n*** End Patch', 'names no file'],
    ['*** Begin Patch\nx\n*** End Patch', 'its line 2 is "x", expected "*** Add File: "'],
    ['*** Begin Patch\n*** Add File: a\nx\n*** End Patch', 'its line 3 is "x", expected a line of the new file'],
    ['*** Begin Patch\n*** Update File: a\n@@\n~x\n*** End Patch', 'its line 4 is "~x", expected a line that starts'],
    ['*** Begin Patch\n*** Update File: a\n@@\n*** End Patch', 'expected lines that start'],
    ['*** Begin Patch\n*** Update File: a\n*** End Patch', 'changes nothing in a'],
    ['*** Begin Patch\n*** Delete File: a\n*** Delete File: a\n*** End Patch', 'names a twice'],
  ])('that is %j is refused with the reason', (patch, problem) => {
    expect(() => parsePatch(patch)).toThrow(problem);
  });

  it('names the files that its activity names', () => {
    const name = fc.stringMatching(/^[a-z][a-z /.]{0,6}[a-z]$/);
    const files = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(files, fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }), (names, kinds) => {
        const queue = [...names];
        const lines: string[] = [];
        for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
          const kind = kinds[queue.length] ?? 0;
          const moveTo = kind === 3 ? queue.shift() : undefined;
          if (kind === 0) lines.push(`*** Add File: ${path}`, '+*** Add File: x');
          else if (kind === 1) lines.push(`*** Delete File: ${path}`);
          else
            lines.push(
              `*** Update File: ${path}`,
              ...(moveTo === undefined ? [] : [`*** Move to: ${moveTo}`]),
              '@@',
              '+x',
            );
        }
        const patch = ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
        const named = parsePatch(patch).flatMap(file => ('moveTo' in file ? [file.path, file.moveTo] : [file.path]));
        expect(patchFiles(patch).map(({ path }) => path)).toEqual(named);
      }),
    );
  });
});

describe('hunks', () => {
  it('change lines where they match, in the order of the file', () => {
    expect(apply('a\nb\na\nb\n', '@@', '-a', '+1', '@@', '-a', '+2')).toBe('1\nb\n2\nb\n');
    expect(() => apply('a\nb\n', '@@', '-b', '+1', '@@', '-a', '+2')).toThrow('Hunk 2 of 2');
  });

  it('are placed after the line they name', () => {
    const text = 'f() {\n  x\n}\ng() {\n  x\n}\n';
    expect(apply(text, '@@ g() {', '-  x', '+  y')).toBe('f() {\n  x\n}\ng() {\n  y\n}\n');
    expect(apply(text, '@@ g() {', '+  first')).toBe('f() {\n  x\n}\ng() {\n  first\n  x\n}\n');
    expect(apply('  class A\n  x\nx\n', '@@ class A', '-  x', '+  y')).toBe('  class A\n  y\nx\n');
  });

  it('do not treat the numbers of a unified diff as a line', () => {
    expect(apply('a\n', '@@ -1,1 +1,1 @@', '-a', '+b')).toBe('b\n');
  });

  it('are placed at the end when they say so', () => {
    expect(apply('x\ny\nx\n', '@@', '-x', '+z', '*** End of File')).toBe('x\ny\nz\n');
    expect(apply('x\n', '@@', '+end')).toBe('x\nend\n');
  });

  it('ignore trailing spaces when matching, and keep unchanged lines', () => {
    expect(apply('a  \nb\t\n', '@@', ' a', '-b', '+c')).toBe('a  \nc\n');
  });

  it('keep the line endings of the file and what its last line has', () => {
    expect(apply('a\r\nb\r\n', '@@', ' a', '-b', '+c', '+d')).toBe('a\r\nc\r\nd\r\n');
    expect(apply('a\nb', '@@', '-b', '+c')).toBe('a\nc');
    expect(apply('', '@@', '+a')).toBe('a\n');
    expect(apply('a\n', '@@', '-a')).toBe('');
  });

  it('turn any text into any other when they contain all its lines', () => {
    const text = fc.array(fc.constantFrom('a', 'b', ' c', ''), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = [...before.map(line => `-${line}`), ...after.map(line => `+${line}`)];
        expect(apply(`${before.join('\n')}\n`, '@@', ...lines)).toBe(`${after.join('\n')}\n`);
      }),
    );
  });
});
