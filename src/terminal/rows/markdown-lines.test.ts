import { describe, expect, it } from 'vitest';
import { textOfLine } from '../screen/styled-line.ts';
import { wrapLine } from '../screen/wrap-line.ts';
import { markdown } from './fact-lines.ts';

const linesOf = (text: string, width = 80) =>
  markdown(text, width)
    .flatMap(line => wrapLine(line, width))
    .map(textOfLine);

describe('Markdown in rows', () => {
  it('has the box of a task once, in lists with and without empty lines', () => {
    expect(linesOf('- [ ] open **one**\n- [x] done')).toEqual(['☐ open one', '☑ done']);
    expect(linesOf('- [ ] open\n\n- [x] done')).toEqual(['☐ open', '', '☑ done']);
  });

  it('continues lists under their text, and quotes after their bar', () => {
    expect(linesOf('- one two three\n  - four five six\n\n> seven eight nine', 12)).toEqual([
      '• one two',
      '  three',
      '  • four',
      '    five six',
      '',
      '▎ seven',
      '▎ eight nine',
    ]);
  });

  it('colours a block of a patch by its signs', () => {
    const lines = markdown('```diff\n--- a/f\n@@ -1 +1 @@\n same\n-old\n+new\n```', 80);
    expect(lines.slice(1).map(line => [textOfLine(line), line[0]?.inks ?? []])).toEqual([
      ['--- a/f', ['bold']],
      ['@@ -1 +1 @@', ['cyan']],
      [' same', []],
      ['-old', ['red']],
      ['+new', ['green']],
    ]);
  });
});
