import { fuzzyMatch } from './fuzzy-match.ts';

/** An entry that matches, and where its text matches. */
export interface Ranked<Entry> {
  readonly entry: Entry;
  readonly positions: readonly number[];
}

/** Returns the entries that match, the best first, at most `limit`; those that match alike stay in their order. */
export function ranked<Entry>(
  entries: Iterable<Entry>,
  query: string,
  { textOf, limit }: { readonly textOf: (entry: Entry) => string; readonly limit: number },
): Ranked<Entry>[] {
  const found: (Ranked<Entry> & { readonly score: number })[] = [];
  for (const entry of entries) {
    const match = query === '' ? { score: 0, positions: [] } : fuzzyMatch(query, textOf(entry));
    if (match !== undefined) found.push({ entry, ...match });
    if (query === '' && found.length >= limit) break;
  }
  return found
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ entry, positions }) => ({ entry, positions }));
}
