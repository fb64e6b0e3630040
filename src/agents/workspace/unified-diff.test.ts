import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const diff = (oldText: string, newText: string) => unifiedDiff([{ path: '/a.txt', oldText, newText }]);

describe('unifiedDiff', () => {
  it('shows a new file', () => {
    expect(diff('', 'one\n')).toBe('--- /dev/null\n+++ /a.txt\n@@ -0,0 +1,1 @@\n+one\n');
  });

  it('shows the changed lines with three lines around them', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9', ''].join('\n');
    expect(diff(before, before.replace('5', 'five'))).toBe(
      '--- /a.txt\n+++ /a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    );
  });

  it('marks a last line without an ending', () => {
    expect(diff('a\n', 'a\nb')).toBe('--- /a.txt\n+++ /a.txt\n@@ -1,1 +1,2 @@\n a\n+b\n\\ No newline at end of file\n');
  });

  it('is absent when nothing changes', () => {
    expect(diff('a\n', 'a\n')).toBeUndefined();
  });
});
