import { markWords } from '../../../src/projections/presentation/mark-words.ts';

/** A text with the words of a search marked. */
export function MarkedText({ text, words }: { text: string; words: string }) {
  // The pieces of a text have no other name than their place.
  // oxlint-disable-next-line no-array-index-key
  return markWords(text, words).map((piece, index) =>
    piece.isMarked ? <mark key={index}>{piece.text}</mark> : piece.text,
  );
}
