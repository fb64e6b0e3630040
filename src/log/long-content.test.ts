import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentMark, shortenBody, wholeBody } from './long-content.ts';

/** Shortens a value and makes it whole again. */
function passed(value: unknown): { readonly short: string; readonly whole: string } {
  const json = JSON.stringify(value);
  const { body: short, contents } = shortenBody(json) ?? { body: json, contents: [] };
  const texts = new Map(contents.map(({ hash, text }) => [hash, text]));
  return { short, whole: wholeBody(short, hash => texts.get(hash) ?? '') };
}

describe('a body with long texts', () => {
  it('keeps texts of up to 64 KiB, in bytes', () => {
    expect(shortenBody(JSON.stringify(['a'.repeat(65_536), 'ü'.repeat(32_768)]))).toBeUndefined();
    expect(shortenBody(JSON.stringify(['a'.repeat(65_537)]))?.contents).toHaveLength(1);
    expect(shortenBody(JSON.stringify(['日'.repeat(21_846)]))?.contents).toHaveLength(1);
  });

  it('has one content for a text that it has twice', () => {
    const long = 'apple '.repeat(20_000);
    expect(shortenBody(JSON.stringify({ [long]: long }))?.contents).toHaveLength(1);
    const { short, whole } = passed({ [long]: [long, 1] });
    expect(short.length).toBeLessThan(200);
    expect(JSON.parse(whole)).toEqual({ [long]: [long, 1] });
  });

  it('is made whole byte for byte, whatever its texts are', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '"',
        '\\',
        '\\"',
        '\u0000',
        '\ud800',
        contentMark,
        `${contentMark}${'a'.repeat(64)}${contentMark}`,
      ),
    );
    const long = fc
      .tuple(text, fc.boolean())
      .map(([part, isLong]) => (isLong ? `${part}${'x'.repeat(66_000)}${part}` : part));
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(long, fc.array(long, { maxLength: 3 }))), value => {
        const { whole } = passed(value);
        return whole === JSON.stringify(value);
      }),
      { numRuns: 30 },
    );
  });
});
