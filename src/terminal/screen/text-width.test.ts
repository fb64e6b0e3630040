import { describe, expect, it } from 'vitest';
import { textWidth } from './text-width.ts';

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
});
