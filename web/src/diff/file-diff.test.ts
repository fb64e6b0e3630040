import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildFileDiff } from '../../../src/projections/activity/file-diff.ts';
import { toRows } from './diff-rows.ts';

const linesOf = (change: Parameters<typeof buildFileDiff>[0]) =>
  buildFileDiff(change).hunks.flatMap(({ lines }) => lines);

describe('the diff of a change', () => {
  it('counts and numbers the lines of an edit from the line where it was made', () => {
    const edits = [{ before: 'one\ntwo\nthree', after: 'one\n2\nthree\nfour', line: 10 }];
    const diff = buildFileDiff({ path: 'a.ts', action: 'update', edits });
    expect({ added: diff.added, removed: diff.removed }).toEqual({ added: 2, removed: 1 });
    expect(diff.hunks[0]?.lines.map(line => [line.kind, line.text, line.old, line.new])).toEqual([
      ['same', 'one', 10, 10],
      ['removed', 'two', 11, undefined],
      ['added', '2', undefined, 11],
      ['same', 'three', 12, 12],
      ['added', 'four', undefined, 13],
    ]);
  });

  it('has no numbers when the position is not known', () => {
    const [line] = linesOf({ path: 'a', action: 'update', edits: [{ before: 'a', after: 'b' }] });
    expect(line).toEqual({ kind: 'removed', text: 'a' });
  });

  it('reads the hunks of a patch, with and without positions', () => {
    const patch = '@@ -3,2 +3,2 @@ function a()\n same\n-old\n+new\n\\ No newline at end of file\n@@ class B\n+x';
    expect(buildFileDiff({ path: 'a', action: 'update', patch }).hunks).toEqual([
      {
        title: 'function a()',
        lines: [
          { kind: 'same', text: 'same', old: 3, new: 3 },
          { kind: 'removed', text: 'old', old: 4 },
          { kind: 'added', text: 'new', new: 4 },
        ],
      },
      { title: 'class B', lines: [{ kind: 'added', text: 'x' }] },
    ]);
  });

  it('marks the words that differ', () => {
    const edits = [{ before: 'const total = add(a, b);', after: 'const sum = add(a, b);' }];
    expect(linesOf({ path: 'a', action: 'update', edits }).map(({ marks }) => marks)).toEqual([[[6, 11]], [[6, 9]]]);
  });

  it('shows the whole of a written file as added', () => {
    expect(buildFileDiff({ path: 'a', action: 'add', content: 'one\ntwo\n' })).toMatchObject({ added: 2, removed: 0 });
  });

  it('is unknown when a call only names the file', () => {
    expect(buildFileDiff({ path: 'a', action: 'update' }).isUnknown).toBe(true);
  });

  it('turns the old text into the new one, whatever they are, also side by side', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map(lines => lines.map(line => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = linesOf({ path: 'x', action: 'update', edits: [{ before, after, line: 1 }] });
        const rows = toRows(lines);
        expect(rows.flatMap(({ left }) => left ?? [])).toEqual(lines.filter(({ kind }) => kind !== 'added'));
        expect(rows.flatMap(({ right }) => right ?? [])).toEqual(lines.filter(({ kind }) => kind !== 'removed'));
        const oldLines = before.split('\n');
        const newLines = after.split('\n');
        for (const line of lines) {
          if (line.old !== undefined) expect(oldLines[line.old - 1]).toBe(line.text);
          if (line.new !== undefined) expect(newLines[line.new - 1]).toBe(line.text);
        }
      }),
    );
  });

  it('gives up comparing texts that have too little in common', () => {
    const text = (offset: number) => Array.from({ length: 30_000 }, (_, line) => `${line * 7 + offset}`).join('\n');
    const diff = buildFileDiff({ path: 'x', action: 'update', edits: [{ before: text(0), after: text(1) }] });
    expect({ added: diff.added, removed: diff.removed }).toEqual({ added: 30_000, removed: 30_000 });
  });
});
