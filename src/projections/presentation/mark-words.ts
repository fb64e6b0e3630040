/** A piece of a text, and whether it is one of the words that were looked for. */
export interface MarkedPiece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Splits a text at the words of a search: each word marks what begins with it, without regard to case. */
export function markWords(text: string, search: string): readonly MarkedPiece[] {
  const words = search.split(/[^\p{L}\p{N}]+/u).filter(word => word !== '');
  if (words.length === 0) return text === '' ? [] : [{ text, isMarked: false }];
  const pattern = words.toSorted((one, other) => other.length - one.length).join('|');
  return text
    .split(new RegExp(`(${pattern})`, 'giu'))
    .map((piece, index) => ({ text: piece, isMarked: index % 2 === 1 }))
    .filter(piece => piece.text !== '');
}
