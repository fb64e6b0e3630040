/** How well a text matches, and where: offsets of the characters that matched. */
export interface FuzzyMatch {
  readonly score: number;
  readonly positions: readonly number[];
}

const longestQuery = 100;
const longestText = 400;

/**
 * Returns how well a query matches a text: its characters occur in this order, without regard to case. Matches at the
 * start of words and names, and side by side, score higher; so do shorter texts. Undefined when it does not match.
 */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  if (query.length > longestQuery) return undefined;
  const shown = text.slice(0, longestText);
  const wanted = query.toLowerCase().replaceAll(' ', '');
  const lower = shown.toLowerCase();
  if (lower.length !== shown.length) return plainMatch(wanted, lower);
  // A match of the name alone is what a person mostly means.
  const name = shown.lastIndexOf('/') + 1;
  const inName = matchFrom(wanted, shown, lower, name);
  const anywhere = name === 0 ? undefined : matchFrom(wanted, shown, lower, 0);
  const best = [inName && { ...inName, score: inName.score + 10 }, anywhere]
    .filter(match => match !== undefined)
    .toSorted((one, other) => other.score - one.score)[0];
  return best === undefined ? undefined : { ...best, score: best.score - shown.length / 50 };
}

function matchFrom(wanted: string, shown: string, lower: string, from: number): FuzzyMatch | undefined {
  const positions: number[] = [];
  let score = 0;
  let at = from;
  for (const [index, character] of wanted.split('').entries()) {
    const found = bestPosition(lower, shown, character, { at, rest: wanted.slice(index) });
    if (found < 0) return undefined;
    const isNext = positions.at(-1) === found - 1 && positions.length > 0;
    score += isNext ? 5 : isStart(shown, found) ? 4 : 1;
    positions.push(found);
    at = found + 1;
  }
  return { score, positions };
}

/** The next occurrence; one at the start of a word instead, when the rest still matches after it. */
function bestPosition(
  lower: string,
  shown: string,
  character: string,
  { at, rest }: { readonly at: number; readonly rest: string },
): number {
  const next = lower.indexOf(character, at);
  if (next < 0 || next === at || isStart(shown, next)) return next;
  for (let found = next; found >= 0; found = lower.indexOf(character, found + 1))
    if (isStart(shown, found)) return isSubsequence(rest, lower, found) ? found : next;
  return next;
}

function isStart(shown: string, at: number): boolean {
  const before = shown[at - 1];
  if (before === undefined || /[/._\-\s]/.test(before)) return true;
  return /[a-z]/.test(before) && /[A-Z]/.test(shown[at] ?? '');
}

function isSubsequence(wanted: string, lower: string, from: number): boolean {
  let at = from;
  for (const character of wanted.split('')) {
    at = lower.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Texts whose lower case has another length have no positions. */
function plainMatch(wanted: string, lower: string): FuzzyMatch | undefined {
  return isSubsequence(wanted, lower, 0) ? { score: wanted.length, positions: [] } : undefined;
}

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
