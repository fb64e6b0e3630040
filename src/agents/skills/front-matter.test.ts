import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFrontMatter } from './front-matter.ts';

const fieldsOf = (...lines: string[]) => {
  const parsed = parseFrontMatter(['---', ...lines, '---', '', '# Body', ''].join('\n'));
  return parsed && Object.fromEntries(parsed.fields);
};

describe('a front matter', () => {
  it('is separate from the body', () => {
    expect(parseFrontMatter('\uFEFF---\r\nname: a\r\n---\r\n\r\n# Do it\r\n---\r\nmore')).toEqual({
      fields: new Map([['name', 'a']]),
      body: '# Do it\n---\nmore',
    });
  });

  it('has plain and quoted texts, with comments behind them', () => {
    expect(
      fieldsOf(
        '# first',
        'name: pdf # a comment',
        `a: "say \\"hi\\"\\n: # no comment"`,
        `b: 'it''s' # one`,
        '"c d": e',
        'f:',
      ),
    ).toEqual({ name: 'pdf', a: 'say "hi"\n: # no comment', b: "it's", 'c d': 'e', f: '' });
  });

  it('may hold a colon in a plain text, which YAML would refuse', () => {
    expect(fieldsOf('description: Use it for: forms, tables. See http://a.example/x#y')).toEqual({
      description: 'Use it for: forms, tables. See http://a.example/x#y',
    });
  });

  it('has texts over several lines: folded, literal and plain', () => {
    expect(
      fieldsOf(
        'a: >-',
        '  one',
        '  two',
        '',
        '  three',
        'b: |',
        '  x',
        '    y',
        '',
        '  z',
        'c: first',
        '  second',
        'd: >',
        'e: f',
      ),
    ).toEqual({ a: 'one two\nthree', b: 'x\n  y\n\nz', c: 'first second', d: '', e: 'f' });
  });

  it('has lists, and names one level deep', () => {
    expect(
      fieldsOf(
        'a: [Read, "b, c", \'d\']',
        'b:',
        '  - Read',
        '  - "Bash(git:*)"',
        'c:',
        '- x',
        'd:',
        '  author: me',
        '  version: "1"',
      ),
    ).toEqual({ a: ['Read', 'b, c', 'd'], b: ['Read', 'Bash(git:*)'], c: ['x'], d: { author: 'me', version: '1' } });
  });

  it('is undefined when it is missing, or has no end', () => {
    expect(['', '# Title', '---\nname: a', 'x\n---\n---'].map(parseFrontMatter)).toEqual(Array(4).fill(undefined));
  });

  it('is parsed in linear time, whatever its content', () => {
    const spaces = ' '.repeat(200_000);
    const started = performance.now();
    fieldsOf(`a${spaces}b`, `c: d${spaces}e`, `f: [${'"'.repeat(99_999)}`, `g: "${'\\'.repeat(99_999)}`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('never makes the reader fail', () => {
    const line = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('a', ':', ' ', '-', '"', "'", '|', '>', '[', ']', '#', '\\', '\t') }),
    );
    fc.assert(
      fc.property(fc.array(line), lines => {
        expect(fieldsOf(...lines)).toBeDefined();
      }),
    );
  });
});
