import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highlight } from './highlighter.ts';
import { languageNamed, languageOfFile } from './language-names.ts';
import { countLines, shortenedText } from '../../../src/projections/presentation/shortened-text.ts';
import { visibleText } from './visible-text.ts';

describe('a long text', () => {
  const limits = { headLines: 3, tailLines: 2, chars: 100 };

  it('is shown whole when it is short', () => {
    expect(shortenedText('1\n2\n3\n4\n5\n', limits)).toBeUndefined();
  });

  it('keeps its first and its last lines, and counts those between', () => {
    expect(shortenedText('1\n2\n3\n4\n5\n6\n7', limits)).toEqual({
      head: '1\n2\n3\n',
      tail: '6\n7',
      hidden: 2,
      unit: 'lines',
    });
  });

  it('is cut within a line that is too long', () => {
    const { head = '', tail = '', hidden, unit } = shortenedText('x'.repeat(10_000_000), limits) ?? {};
    expect({ shown: head.length + tail.length, hidden, unit }).toEqual({
      shown: 100,
      hidden: 9_999_900,
      unit: 'characters',
    });
  });

  it('loses nothing but what it counts', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('\n', 'a', 'bc', '😀'.repeat(9)), { maxLength: 80 }), parts => {
        const text = parts.join('');
        const short = shortenedText(text, limits);
        if (short === undefined) return;
        expect(text.startsWith(short.head) && text.endsWith(short.tail)).toBe(true);
        const between = text.slice(short.head.length, text.length - short.tail.length);
        if (short.unit === 'lines') expect(countLines(between)).toBe(short.hidden);
      }),
    );
  });
});

it('names characters that reorder or hide text', () => {
  expect(visibleText('a\u202Eb\u2066c\u200B')).toBe('a[U+202E]b[U+2066]c[U+200B]');
});

describe('a language', () => {
  it.each([
    ['ts', 'typescript'],
    ['Bash', 'shellscript'],
    ['brainfuck', 'brainfuck'],
  ])('has other names: %s', (name, language) => expect(languageNamed(name)).toBe(language));

  it('is found by the name of a file', () => {
    expect(['/a/b.test.tsx', 'Dockerfile', 'x.yml'].map(languageOfFile)).toEqual(['tsx', 'docker', 'yaml']);
  });

  it('has kinds of tokens, and nothing when it is not known', async () => {
    expect(await highlight('let a = "b";', 'typescript')).toEqual([
      [['let', 'keyword'], [' a '], ['=', 'keyword'], [' '], ['"b"', 'string-expression'], [';']],
    ]);
    expect(await highlight('let', 'toString')).toBeUndefined();
  });
});
