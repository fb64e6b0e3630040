import { readStrictly } from './strict-line.ts';

/**
 * A text that two command lines share only when they run the same words in the same way: for lists and pipelines of
 * simple commands without expansions and redirects, whatever their spacing and quotes; for any other line, its exact text.
 */
export function commandIdentity(line: string): string {
  const tokens = readStrictly(line)?.tokens;
  return tokens === undefined || tokens.length === 0 ? `text ${line}` : `words ${JSON.stringify(tokens)}`;
}
