import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { span, textOfLine } from './styled-line.ts';
import { cutLine, lineWidth, textWidth, wrapLine } from './text-width.ts';

describe('the width of text', () => {
  it.each([
    ['abc', 3],
    ['漢字', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['한글', 4],
    ['\u200b', 0],
    ['a\tb', 9],
    ['שלום', 4],
  ])('of %j is %d', (text, width) => expect(textWidth(text)).toBe(width));

  it('wraps so that no line is wider, and nothing is lost', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '漢', 'e\u0301', '🎉', ' ', 'ש'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (content, width) => {
        const lines = wrapLine([span(content)], width);
        expect(lines.map(textOfLine).join('')).toBe(content);
        for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
        expect(lineWidth(cutLine([span(content)], width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});
