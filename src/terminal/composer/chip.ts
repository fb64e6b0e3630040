/** A part of a draft that is one unit: a long paste, or a file that is attached. */
export type Chip =
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'file' | 'image'; readonly path: string; readonly bytes: number };

/** The number of characters and of lines from which a paste becomes a chip. */
const longestText = 1_000;
const mostLines = 10;
/** A draft refers to a chip by one lone surrogate, which no text of a terminal contains. */
const firstMark = 0xdc_00;
/** The number of chips that a composer can have. */
export const mostChips = 0x4_00;

/** Whether a pasted text is long enough for a chip. */
export function isLongPaste(text: string): boolean {
  return text.length > longestText || lineCount(text) > mostLines;
}

/** Returns the character that stands for a chip in a draft. */
export function chipMark(index: number): string {
  return String.fromCharCode(firstMark + index);
}

/** Returns the index of the chip that a character stands for. */
export function chipIndex(character: string): number | undefined {
  const index = character.length === 1 ? character.charCodeAt(0) - firstMark : -1;
  return index >= 0 && index < mostChips ? index : undefined;
}

/** Returns a chip for the screen: what it is, and its size. */
export function chipLabel(chip: Chip): string {
  if (chip.type !== 'paste') return `[${chip.type} ${fileName(chip.path)} · ${size(chip.bytes)}]`;
  const lines = lineCount(chip.text);
  return `[pasted ${lines === 1 ? '1 line' : `${lines} lines`} · ${size(chip.text.length)}]`;
}

/** Returns the text that is sent for a chip. */
export function chipText(chip: Chip): string {
  return chip.type === 'paste' ? chip.text : chip.path;
}

function fileName(path: string): string {
  return (path.split('/').at(-1) ?? path).replaceAll(/\p{C}/gu, '');
}

function lineCount(text: string): number {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n').length;
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${(bytes / 1_000).toPrecision(bytes < 9_950 ? 2 : 3).replace(/\.0$/, '')} KB`;
  return `${(bytes / 1_000_000).toFixed(1).replace(/\.0$/, '')} MB`;
}
