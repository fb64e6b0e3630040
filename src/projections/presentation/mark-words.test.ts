import { describe, expect, it } from 'vitest';
import { markWords } from './mark-words.ts';

const marked = (text: string, search: string) =>
  markWords(text, search)
    .map(piece => (piece.isMarked ? `[${piece.text}]` : piece.text))
    .join('');

describe('the words of a search', () => {
  it('are marked in a text, each time and in any case', () =>
    expect(marked('Red roses, a RED car', 'red car')).toBe('[Red] roses, a [RED] [car]'));
  it('are text, not patterns', () => expect(marked('a+b (c)', 'a+b (')).toBe('[a]+[b] (c)'));
  it('mark nothing when there are none', () => expect(marked('roses', ' - ')).toBe('roses'));
  it('are found in scripts without spaces', () => expect(marked('日本語の本', '本')).toBe('日[本]語の[本]'));
});
