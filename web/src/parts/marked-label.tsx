/** A name with the characters marked that matched what was typed; `positions` beyond it are of what is not shown. */
export function MarkedLabel({ label, positions }: { label: string; positions: readonly number[] }) {
  const marked = new Set(positions);
  return label.split('').map((character, index) =>
    // The characters of a name have no other name than their place.
    // oxlint-disable-next-line no-array-index-key
    marked.has(index) ? <b key={index}>{character}</b> : character,
  );
}
