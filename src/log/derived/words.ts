/** How many characters of a text are searched, and how long a word may be. */
export const searchedLength = 65_536;
const longestWord = 64;

/** Chinese and Japanese texts have no spaces: each of their characters is a word. */
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}_]+/gu;

/** Most texts have no other characters; then this finds the same words in less time. */
const onlyAscii = /^\p{ASCII}*$/u;
const asciiWord = /[a-z0-9_]+/g;

/** The words of a text as every store compares them, each once: in lower case, letters, digits and underscores. */
export function splitWords(text: string): string[] {
  const searched = text.slice(0, searchedLength);
  const found = onlyAscii.test(searched)
    ? searched.toLowerCase().match(asciiWord)
    : searched.normalize('NFKC').toLowerCase().match(word);
  const words = new Set<string>();
  for (const each of found ?? []) words.add(each.slice(0, longestWord));
  return [...words];
}

const before = 60;
const after = 140;

/** A piece of a text around the first of the words that it has. */
export function buildSnippet(text: string, words: readonly string[]): string {
  const lower = text.slice(0, searchedLength).toLowerCase();
  const places = words.map(each => lower.indexOf(each)).filter(place => place >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const start = Math.max(0, at - before);
  const end = Math.min(text.length, at + after);
  const piece = text
    .slice(start, end)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/\p{Cs}/gu, '');
  return `${start > 0 ? '…' : ''}${piece}${end < text.length ? '…' : ''}`;
}
