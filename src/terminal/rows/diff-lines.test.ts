import { describe, expect, it } from 'vitest';
import { type Line, textOfLine } from '../screen/styled-line.ts';
import { changesOfDiff } from '../../projections/activity/diff-changes.ts';
import { buildFileDiff } from '../../projections/activity/file-diff.ts';
import { diffRows } from './diff-lines.ts';

const shown = (lines: readonly Line[]) => lines.map(textOfLine);
const textDiff = (before: string, after: string) => [
  buildFileDiff({ path: '', action: 'update', edits: [{ before, after }] }),
];
const marked = (line: Line | undefined) => (line ?? []).filter(({ inks }) => inks?.includes('inverse'));

describe('the lines of a change', () => {
  it('mark the words that differ', () => {
    const lines = diffRows(textDiff('const sum = a - b;', 'const sum = a + b;'), { width: 80, most: 20 });
    expect(shown(lines)).toEqual(['- const sum = a - b;', '+ const sum = a + b;']);
    expect(lines.map(line => shown([marked(line)])[0])).toEqual(['-', '+']);
  });

  it('name each file of a change of several, and mark gaps between hunks', () => {
    const diff = [
      '--- a/one.ts\n+++ b/one.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n@@ -40 +40 @@\n-far\n+away',
      '--- /dev/null\n+++ b/two.ts\n@@ -0,0 +1 @@\n+made',
    ].join('\n');
    expect(shown(diffRows(changesOfDiff(diff).map(buildFileDiff), { width: 80, most: 20 }))).toEqual([
      'one.ts',
      '  same',
      '- old',
      '+ new',
      '  ⋮ line 40',
      '- far',
      '+ away',
      'two.ts',
      '+ made',
    ]);
  });

  it('have nothing that a terminal executes, also at the edges of marks', () => {
    const lines = diffRows(textDiff('say \u001b[2Jhello there', 'say \u001b]0;x\u0007hello \u202ethere'), {
      width: 80,
      most: 20,
    });
    // oxlint-disable-next-line no-control-regex
    expect(shown(lines).join('')).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});
