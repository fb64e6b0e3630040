/** Text pieces with a wildcard between each two of them: `['a', 'b']` is `a*b`, `['a']` is exactly `a`. */
export type Glob = readonly [string, ...string[]];

/** Parses a glob whose only special character is `*`, any run of characters. */
export function parseGlob(text: string): Glob {
  const [first = '', ...rest] = text.split('*');
  return [first, ...rest];
}

/** Whether the glob contains a wildcard. */
export function isWild(glob: Glob): boolean {
  return glob.length > 1;
}

/** Whether the glob matches the whole text, in time linear in the text for each piece. */
export function matchesGlob(glob: Glob, text: string): boolean {
  const [first, ...rest] = glob;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

const climbing = /(?<![\w.])\.\.(?![\w.])/;

/** Like `matchesGlob`, but no wildcard matches a `..` path segment: `src/*` does not match `src/../../etc`. */
export function matchesWithin(glob: Glob, text: string): boolean {
  return matchesGlob(glob, text) && !(isWild(glob) && climbing.test(text));
}
