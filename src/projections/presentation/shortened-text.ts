/** A text without its middle. */
export interface ShortenedText {
  readonly head: string;
  readonly tail: string;
  /** The number of hidden lines or characters, as `unit` states. */
  readonly hidden: number;
  readonly unit: 'lines' | 'characters';
}

/** How much of a text is shown. */
export interface ShortenLimits {
  readonly headLines: number;
  readonly tailLines: number;
  /** The most characters of head and tail together. */
  readonly chars: number;
}

/** Returns the head and the tail of a text that is longer than the limits; undefined when all of it can be shown. */
export function shortenedText(text: string, { headLines, tailLines, chars }: ShortenLimits): ShortenedText | undefined {
  const lines = countLines(text);
  const hidden = lines - headLines - tailLines;
  const headEnd = hidden > 0 ? afterLines(text, headLines) : -1;
  const tailStart = hidden > 0 ? beforeLines(text, tailLines) : -1;
  if (hidden > 0 && headEnd + text.length - tailStart <= chars)
    return { head: text.slice(0, headEnd), tail: text.slice(tailStart), hidden, unit: 'lines' };
  if (text.length <= chars) return undefined;
  const cut = Math.floor(chars * 0.7);
  const rest = text.length - (chars - cut);
  return {
    head: text.slice(0, whole(text, cut)),
    tail: text.slice(whole(text, rest)),
    hidden: rest - cut,
    unit: 'characters',
  };
}

/** The number of lines; a line break at the end begins none. */
export function countLines(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function afterLines(text: string, lines: number): number {
  let at = 0;
  for (let line = 0; line < lines; line++) at = text.indexOf('\n', at) + 1;
  return at;
}

function beforeLines(text: string, lines: number): number {
  let at = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let line = 0; line < lines; line++) at = text.lastIndexOf('\n', at - 1);
  return at + 1;
}

/** A place that does not part the halves of a character. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
