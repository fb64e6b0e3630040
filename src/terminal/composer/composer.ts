import { atBoundary } from './boundaries.ts';

/** A text and the place in it where a person writes. */
export interface Draft {
  /** Chips are one character each, see `chipMark`. */
  readonly text: string;
  /** The offset of the cursor, between two characters. */
  readonly cursor: number;
  /** Whether it begins with pasted text: `/` and `!` then are text. */
  readonly isLiteral: boolean;
}

/** The state of the editor of messages. It never changes: each change is a new state. */
export interface Composer extends Draft {
  readonly chips: readonly Chip[];
  readonly undo: readonly Draft[];
  readonly redo: readonly Draft[];
  /** The texts that were cut, newest last. */
  readonly kills: readonly string[];
  /** The stashed drafts, newest last. */
  readonly stashed: readonly Draft[];
  /** The last change, with which the next one may be joined. */
  readonly last: LastEdit;
  /** The column that moves up and down try to keep. */
  readonly column?: number;
}

/** The kind of the last edit. */
type LastEdit =
  | { readonly type: 'move' }
  | { readonly type: 'insert' }
  | { readonly type: 'kill' }
  | { readonly type: 'yank'; readonly from: number; readonly kill: number };

/** A submitted draft: paste chips are expanded to their full text, and files are also attachments. */
export interface Submission {
  readonly text: string;
  readonly attachments: readonly Extract<Chip, { path: string }>[];
  /** Determined by the first characters of the draft. */
  readonly type: 'message' | 'command' | 'shell' | 'private-shell';
}

const mostUndo = 200;
const noDraft: Draft = { text: '', cursor: 0, isLiteral: false };

/** An editor without text. */
export const emptyComposer: Composer = {
  ...noDraft,
  chips: [],
  undo: [],
  redo: [],
  kills: [],
  stashed: [],
  last: { type: 'move' },
};

/** Inserts typed text. */
export function insertText(composer: Composer, typed: string): Composer {
  const text = insertable(typed);
  if (text === '') return composer;
  const isJoined = composer.last.type === 'insert' && !/\s/.test(text);
  return change(composer, replaced(composer, composer.cursor, composer.cursor, text), { type: 'insert' }, isJoined);
}

/** Inserts pasted text: a long one as a chip. */
export function pasteText(composer: Composer, pasted: string): Composer {
  const text = insertable(pasted);
  if (text === '') return composer;
  if (isLongPaste(text) && composer.chips.length < mostChips) return insertChip(composer, { type: 'paste', text });
  const draft = replaced(composer, composer.cursor, composer.cursor, text);
  const isLiteral = composer.isLiteral || (composer.cursor === 0 && /^[/!]/.test(text));
  return change(composer, { ...draft, isLiteral }, { type: 'move' });
}

/** Inserts a chip; does nothing when there are too many. */
export function insertChip(composer: Composer, chip: Chip): Composer {
  const { chips, cursor } = composer;
  if (chips.length >= mostChips) return composer;
  const draft = replaced(composer, cursor, cursor, chipMark(chips.length));
  return change({ ...composer, chips: [...chips, chip] }, draft, { type: 'move' });
}

/** Replaces a part of the text; the cursor goes behind it. */
export function replaceRange(composer: Composer, from: number, to: number, text: string): Composer {
  return change(composer, replaced(composer, from, to, insertable(text)), { type: 'move' });
}

/** Replaces the whole draft, as one change. */
export function replaceDraft(composer: Composer, text: string): Composer {
  return replaceRange(composer, 0, composer.text.length, text);
}

/** Replaces the paste chip next to the cursor with its text. */
export function expandChip(composer: Composer): Composer {
  const { text, cursor, chips } = composer;
  for (const at of [cursor - 1, cursor]) {
    const chip = chips[chipIndex(text[at] ?? '') ?? -1];
    if (chip?.type === 'paste') return change(composer, replaced(composer, at, at + 1, chip.text), { type: 'move' });
  }
  return composer;
}

/** Returns the text with each chip replaced by its full text. */
export function wholeText({ text, chips }: Pick<Composer, 'text' | 'chips'>): string {
  return text.replaceAll(/[\udc00-\udfff]/gu, mark => {
    const chip = chips[chipIndex(mark) ?? -1];
    return chip === undefined ? '' : chipText(chip);
  });
}

/** Returns the submission of the draft; undefined when it is blank. */
export function submission(composer: Composer): Submission | undefined {
  const text = wholeText(composer).trim();
  if (text === '') return undefined;
  const attachments = Array.from(composer.text, mark => composer.chips[chipIndex(mark) ?? -1]).filter(
    chip => chip !== undefined && chip.type !== 'paste',
  );
  return { text, attachments, type: submissionType(composer) };
}

/** Whether Enter starts a new line: the draft ends with a backslash, and the cursor is behind it. */
export function endsWithBackslash({ text, cursor }: Draft): boolean {
  return cursor === text.length && /(?:^|[^\\])(?:\\\\)*\\$/.test(text);
}

/** Replaces the backslash at the end by a new line. */
export function continueLine(composer: Composer): Composer {
  return replaceRange(composer, composer.text.length - 1, composer.text.length, '\n');
}

/** Clears the draft after it was sent, and restores the last stashed draft. */
export function sentDraft(composer: Composer): Composer {
  return stashDraft(clearDraft(composer));
}

/** Clears the draft; keeps the cut texts and the stashed drafts. */
export function clearDraft(composer: Composer): Composer {
  const kept = { kills: composer.kills, stashed: composer.stashed, chips: composer.chips };
  const cleared: Composer = { ...emptyComposer, ...kept };
  const isFull = composer.chips.length > mostChips / 2 && composer.stashed.length === 0;
  return isFull
    ? { ...cleared, chips: [], kills: composer.kills.map(text => wholeText({ ...composer, text })) }
    : cleared;
}

/** Puts the draft aside, or takes the last one back when the draft is empty. */
export function stashDraft(composer: Composer): Composer {
  const { text, cursor, isLiteral, stashed } = composer;
  if (text !== '') return { ...clearDraft(composer), stashed: [...stashed, { text, cursor, isLiteral }] };
  const last = stashed.at(-1);
  if (last === undefined) return composer;
  return { ...change(composer, last, { type: 'move' }), stashed: stashed.slice(0, -1) };
}

/** Returns the draft with a part replaced and the cursor behind it. */
export function replaced({ text, isLiteral }: Draft, from: number, to: number, inserted: string): Draft {
  const next = text.slice(0, from) + inserted + text.slice(to);
  return { text: next, cursor: atBoundary(next, from + inserted.length), isLiteral: isLiteral && next !== '' };
}

/** Returns a state with a changed draft, which can be undone; a joined change is undone with the one before. */
export function change(composer: Composer, draft: Draft, last: LastEdit, isJoined = false): Composer {
  const { column: _, ...kept } = composer;
  const { text, cursor, isLiteral } = composer;
  if (draft.text === text) return { ...kept, ...draft, last };
  const undo = isJoined ? composer.undo : [...composer.undo, { text, cursor, isLiteral }].slice(-mostUndo);
  return { ...kept, ...draft, undo, redo: [], last };
}

/** A text that a draft may contain: no control characters, no lone surrogates, one kind of line break. */
function insertable(text: string): string {
  return text
    .replaceAll(/[\ud800-\udfff]/gu, '\ufffd')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\p{Cc}]/gu, character => (character === '\n' || character === '\t' ? character : ''));
}

function submissionType({ text, isLiteral }: Draft): Submission['type'] {
  const start = text.trimStart();
  if (isLiteral) return 'message';
  if (start.startsWith('!!')) return 'private-shell';
  if (start.startsWith('!')) return 'shell';
  return /^\/(?:[a-z]|$)/.test(start) && !/^\/\S*\//.test(start) ? 'command' : 'message';
}

/** A part of a draft that is one unit: a long paste, or a file that is attached. */
type Chip =
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'file' | 'image'; readonly path: string; readonly bytes: number };

/** The number of characters and of lines from which a paste becomes a chip. */
const longestText = 1_000;
const mostLines = 10;
/** A draft refers to a chip by one lone surrogate, which no text of a terminal contains. */
const firstMark = 0xdc_00;
/** The number of chips that a composer can have. */
const mostChips = 0x4_00;

/** Whether a pasted text is long enough for a chip. */
function isLongPaste(text: string): boolean {
  return text.length > longestText || lineCount(text) > mostLines;
}

/** Returns the character that stands for a chip in a draft. */
function chipMark(index: number): string {
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
function chipText(chip: Chip): string {
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
