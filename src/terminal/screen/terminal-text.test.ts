import { expect, it } from 'vitest';
import { printableText, visibleText } from './terminal-text.ts';

it('keeps words, line breaks and tabs', () => {
  const text = 'touch "ä"\n\t→ 日本';
  expect(printableText(text)).toBe(text);
  expect(visibleText(text)).toBe(text);
});

it('removes what a terminal would execute from shown text', () => {
  expect(printableText('a\u001b[2Kb\r\u0007c')).toBe('a[2Kbc');
});

it('shows what would hide or reorder a part of a command', () => {
  expect(visibleText('rm -rf /\r\u001b[2Kls')).toBe('rm -rf /\\u{d}\\u{1b}[2Kls');
  expect(visibleText('a\u202eb\u200bc\u2028')).toBe('a\\u{202e}b\\u{200b}c\\u{2028}');
});
