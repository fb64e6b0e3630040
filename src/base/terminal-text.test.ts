// oxlint-disable no-control-regex
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText, printableText, rowText, safeJson, safeText, visibleLine, visibleText } from './terminal-text.ts';

it('keeps words, line breaks and tabs', () => {
  const text = 'touch "ä"\n\t→ 日本';
  expect(printableText(text)).toBe(text);
  expect(visibleText(text)).toBe(text);
  expect(safeText(text)).toBe(text);
});

it('keeps what scripts and emoji need', () => {
  for (const text of ['👩‍👩‍👧', '❤️', 'می‌خواهم', 'שלום', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'e\u0301']) expect(safeText(text)).toBe(text);
});

it('removes what a terminal would execute from shown text', () => {
  expect(printableText('a\u001b[2Kb\r\u0007c')).toBe('a[2Kbc');
});

it('shows what would hide or reorder a part of a command', () => {
  expect(visibleText('rm -rf /\r\u001b[2Kls')).toBe('rm -rf /\\u{d}\\u{1b}[2Kls');
  expect(visibleText('a\u202eb\u200bc\u2028')).toBe('a\\u{202e}b\\u{200b}c\\u{2028}');
  expect(visibleText('a\u200db\u{e0041}\u3164\ud800')).toBe('a\\u{200d}b\\u{e0041}\\u{3164}\\u{d800}');
  expect(visibleLine('name\n  - nothing else\t')).toBe('name\\n  - nothing else\\t');
});

describe('a text for a terminal', () => {
  /** Written as a list of its own: the property must not follow a mistake of the code. */
  const forbidden =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]|\p{Cs}/u;
  const hostile = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)),
      fc.constantFrom(
        '\u001b[20A\u001b[0J',
        '\u001b]0;title\u0007',
        '\u009b2J',
        '\r',
        '\u202e',
        '\u2066',
        '\ud83d',
        '"',
      ),
    ),
  );
  const text = hostile.map(parts => parts.join(''));

  it('has nothing that a terminal executes, and no mark that reorders, whichever way it was made safe', () => {
    fc.assert(
      fc.property(text, given => {
        for (const made of [safeText, printableText, visibleText, visibleLine, plainText, rowText])
          expect(made(given)).not.toMatch(forbidden);
        for (const made of [visibleLine, plainText, rowText]) expect(made(given)).not.toContain('\n');
        expect(safeText(safeText(given))).toBe(safeText(given));
      }),
    );
  });

  it('is JSON of the same value, when it was JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), text, (value, given) => {
        const whole = { value, [given]: given };
        const json = safeJson(JSON.stringify(whole, undefined, 1));
        expect(json).not.toMatch(forbidden);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(whole)));
      }),
    );
  });
});
