/** The part of a whole text that was not streamed before it; undefined when what was streamed is not its beginning. */
export function remainder(streamed: string, whole: string): string | undefined {
  return whole.startsWith(streamed) ? whole.slice(streamed.length) : undefined;
}
