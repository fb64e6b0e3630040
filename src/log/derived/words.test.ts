import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitWords } from './words.ts';

describe('the words of a text', () => {
  it('are in lower case, each once, at most 64 characters long', () => {
    expect(splitWords('The pear, the snake_case 42 and THE Pear')).toEqual(['the', 'pear', 'snake_case', '42', 'and']);
    expect(splitWords('x'.repeat(70))).toEqual(['x'.repeat(64)]);
    expect(splitWords('Ünïcode 漢字')).toEqual(['ünïcode', '漢', '字']);
    expect(splitWords(' ,;')).toEqual([]);
  });

  it('do not depend on whether the text has other characters than ASCII', () => {
    const ascii = fc.string({ unit: 'binary-ascii', maxLength: 200 });
    fc.assert(
      fc.property(ascii, text => {
        expect([...splitWords(text), 'ü']).toEqual(splitWords(`${text} ü`));
      }),
    );
  });
});
