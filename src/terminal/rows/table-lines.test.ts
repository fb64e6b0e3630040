import { describe, expect, it } from 'vitest';
import { span } from '../screen/styled-line.ts';
import { tableLines } from './markdown-lines.ts';

const table = ['| file | why |', '|---|--:|', '| a.js | it subtracted |', '| b.js | new |'];
const textOf = (width: number) =>
  tableLines(table, width, text => [span(text)]).map(line => line.map(({ text }) => text).join(''));

describe('a table', () => {
  it('has aligned columns where it fits', () => {
    expect(textOf(40)).toEqual([
      'file │           why',
      '─────┼──────────────',
      'a.js │ it subtracted',
      'b.js │           new',
    ]);
  });

  it('wraps the text of a wide column, but no word', () => {
    expect(textOf(19)).toEqual([
      'file │          why',
      '─────┼─────────────',
      'a.js │           it',
      '     │   subtracted',
      'b.js │          new',
    ]);
  });

  it('has its rows as records where it does not', () => {
    expect(textOf(15)).toEqual(['▪ file: a.js', '  why: it subtracted', '', '▪ file: b.js', '  why: new']);
  });
});
