import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lead, type Line, span, textOfLine, verbatim } from './styled-line.ts';
import { lineWidth } from './text-width.ts';
import { cutLine, printedLines, wrapLine } from './wrap-line.ts';

const rowsOf = (line: Line, width: number) => wrapLine(line, width).map(textOfLine);
const prose = (text: string): Line => [span(text)];

describe('a line in a narrow window', () => {
  it('breaks at spaces, also where the style changes inside of a word', () => {
    expect(rowsOf(prose('the second one is subtracted'), 20)).toEqual(['the second one is', 'subtracted']);
    expect(rowsOf([span('it is '), span('sub', 'bold'), span('tracted now')], 12)).toEqual([
      'it is',
      'subtracted',
      'now',
    ]);
  });

  it('has a link in a row of its own where it fits, and breaks it where it does not', () => {
    const line = prose('see https://example.com/a for more');
    expect(rowsOf(line, 24)).toEqual(['see', 'https://example.com/a', 'for more']);
    expect(rowsOf(line, 12)).toEqual(['see', 'https://exam', 'ple.com/a', 'for more']);
    expect(printedLines(line, 12).map(textOfLine)).toEqual(['see', 'https://example.com/a', 'for more']);
  });

  it('continues under its mark, and after the bar of a quote', () => {
    const line = [lead(span('1. ')), lead(span('▎ '), '▎ '), span('a quote of words')];
    expect(rowsOf(line, 13)).toEqual(['1. ▎ a quote', '   ▎ of words']);
  });

  it('breaks between wide characters, but not before punctuation', () => {
    expect(rowsOf(prose('漢字漢字。漢'), 8)).toEqual(['漢字漢', '字。漢']);
    expect(rowsOf(prose('done 🎉🎉'), 7)).toEqual(['done 🎉', '🎉']);
  });

  it('keeps the spaces of verbatim text, which a terminal is given whole', () => {
    const line = verbatim(prose('const a  = 1;'));
    expect(rowsOf(line, 8)).toEqual(['const a ', ' = 1;']);
    expect(printedLines(line, 8)).toEqual([line]);
    expect(rowsOf(verbatim(prose('\ta')), 10)).toEqual(['        a']);
  });

  it('loses nothing but spaces, and no row is wider', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '漢', 'e\u0301', '🎉', ' ', 'ש', '。', '\t'), maxLength: 60 });
    const line = fc.array(
      fc.record({ text, isVerbatim: fc.boolean(), inks: fc.constantFrom(['bold'] as const, ['dim'] as const) }),
      { maxLength: 4 },
    );
    const withoutSpaces = (shown: string) => shown.replaceAll(/[ \t]/g, '');
    fc.assert(
      fc.property(line, fc.integer({ min: 2, max: 20 }), (content, width) => {
        const rows = wrapLine(content, width);
        expect(withoutSpaces(rows.map(textOfLine).join(''))).toBe(withoutSpaces(textOfLine(content)));
        for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(width);
        expect(lineWidth(cutLine(content, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('has whole words in its rows, whatever the words are', () => {
    const words = fc.array(fc.stringMatching(/^[a-z./:]{1,12}$/), { maxLength: 12 });
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 30 }), (given, width) => {
        const rows = rowsOf(prose(given.join(' ')), width);
        expect(rows.flatMap(row => row.split(' ')).filter(word => word !== '')).toEqual(given);
      }),
    );
  });
});
