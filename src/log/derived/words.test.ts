import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordsOf } from './words.ts';

describe('the words of a text', () => {
  it('are in lower case, each once, at most 64 characters long', () => {
    expect(wordsOf('The pear, the snake_case 42 and THE Pear')).toEqual(['the', 'pear', 'snake_case', '42', 'and']);
    expect(wordsOf('x'.repeat(70))).toEqual(['x'.repeat(64)]);
    expect(wordsOf('Ünïcode 漢字')).toEqual(['ünïcode', '漢', '字']);
    expect(wordsOf(' ,;')).toEqual([]);
  });

  it('do not depend on whether the text has other characters than ASCII', () => {
    const ascii = fc.string({ unit: 'binary-ascii', maxLength: 200 });
    fc.assert(
      fc.property(ascii, text => {
        expect([...wordsOf(text), 'ü']).toEqual(wordsOf(`${text} ü`));
      }),
    );
  });
});
