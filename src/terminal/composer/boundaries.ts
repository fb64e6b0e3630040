const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const isSimple = /^[\u0020-\u007e\n]*$/;

/** Returns the offset where the line of an offset starts. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the offset where the line of an offset ends, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}

/** Returns the characters of a line as a person sees them. */
export function toGraphemes(line: string): readonly string[] {
  return isSimple.test(line) ? line.split('') : Array.from(graphemes.segment(line), ({ segment }) => segment);
}

/** Returns the next boundary between characters after an offset, or the end. */
export function nextBoundary(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (text[offset] === '\n') return offset + 1;
  const start = lineStart(text, offset);
  let end = start;
  for (const grapheme of toGraphemes(text.slice(start, lineEnd(text, offset)))) {
    end += grapheme.length;
    if (end > offset) break;
  }
  return end;
}

/** Returns the boundary between characters before an offset, or the start. */
export function previousBoundary(text: string, offset: number): number {
  if (offset <= 0) return 0;
  const start = lineStart(text, offset);
  if (start === offset) return offset - 1;
  let at = start;
  for (const grapheme of toGraphemes(text.slice(start, lineEnd(text, offset)))) {
    if (at + grapheme.length >= offset) break;
    at += grapheme.length;
  }
  return at;
}

/** Returns an offset, or the next boundary when it is inside a character: joined texts can make one character. */
export function atBoundary(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length) return Math.max(0, Math.min(offset, text.length));
  return nextBoundary(text, offset - 1);
}

const isWordCharacter = /[\p{L}\p{N}\p{M}_]/u;
const isMark = /^[\udc00-\udfff]$/;

/** Returns the offset where the word before an offset starts; a chip is a word. */
export function wordStart(text: string, offset: number): number {
  let at = skip(text, offset, 'gap', previousBoundary);
  const before = previousBoundary(text, at);
  if (isMark.test(text.slice(before, at))) return before;
  at = skip(text, at, 'word', previousBoundary);
  return at;
}

/** Returns the offset where the word after an offset ends; a chip is a word. */
export function wordEnd(text: string, offset: number): number {
  const at = skip(text, offset, 'gap', nextBoundary);
  const after = nextBoundary(text, at);
  return isMark.test(text.slice(at, after)) ? after : skip(text, at, 'word', nextBoundary);
}

type Step = (text: string, offset: number) => number;

function skip(text: string, from: number, kind: 'word' | 'gap', step: Step): number {
  for (let at = from; ; ) {
    const next = step(text, at);
    if (next === at) return at;
    const character = text.slice(Math.min(at, next), Math.max(at, next));
    const found = isMark.test(character) ? 'mark' : isWordCharacter.test(character) ? 'word' : 'gap';
    if (found !== kind) return at;
    at = next;
  }
}
