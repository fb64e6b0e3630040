import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

const mostPaths = 20;

/**
 * Returns the paths that a pasted or dropped text consists of: absolute ones, below `~/`, or `file:` URLs, quoted or
 * with escaped spaces as terminals write them. Empty when it has anything else.
 */
export function pastedPaths(text: string, home: string): readonly string[] {
  const words = shellWords(text.trim());
  if (words === undefined || words.length === 0 || words.length > mostPaths) return [];
  const paths = words.map(word => pathOf(word, home));
  return paths.includes(undefined) ? [] : (paths as string[]);
}

/** Whether a path is one of an image that models can see. */
export function isImagePath(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp)$/i.test(path);
}

function pathOf(word: string, home: string): string | undefined {
  if (word.includes('\0')) return undefined;
  if (word.startsWith('file://')) {
    try {
      return fileURLToPath(word);
    } catch {
      return undefined;
    }
  }
  if (word.startsWith('~/')) return home + word.slice(1);
  // A lone slash and a word, such as /help, is a command rather than a file.
  return isAbsolute(word) && /^\/[^/]+\//.test(word) ? word : undefined;
}

/** Splits at spaces and line breaks outside of quotes; undefined when a quote is open. */
function shellWords(text: string): readonly string[] | undefined {
  if (text.length > 10_000) return undefined;
  const words: string[] = [];
  let rest = text;
  while (rest !== '') {
    const match = /^(?:'[^']*'|"[^"]*"|\\[^\n]|[^\s'"\\])+/.exec(rest);
    if (match === null) return undefined;
    words.push(
      match[0].replaceAll(
        /'([^']*)'|"([^"]*)"|\\(.)/g,
        (_, single = '', double = '', escaped = '') => single + double + escaped,
      ),
    );
    rest = rest.slice(match[0].length).trimStart();
  }
  return words;
}
