import type { ShellWord } from './shell-word.ts';

/** A position in a text that is read character by character. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** The number of open lists: groups, subshells, substitutions. */
  depth: number;
  /** The number of open substitutions. */
  nested: number;
}

/** Thrown where a text leaves the supported part of the shell language. */
export class UncertainShell extends Error {}

/** A word whose meaning is the same in sh, bash, dash and zsh. */
export interface StrictWord extends ShellWord {
  /** The exact source text. */
  readonly source: string;
}

interface Draft {
  value: string;
  open: boolean;
  expands: boolean;
}

/** Reads a substitution from after its `$(` to after its `)`. */
export type ReadSubstitution = (cursor: Cursor) => void;

/** Moves past a sticky pattern and returns what it matched; `undefined` when it does not match here. */
export function take(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found !== undefined) cursor.at += found.length;
  return found;
}

const plain = /(?:[\w./:@%+,=\]-]|(?![\0-\x7f])[\p{L}\p{M}\p{N}])+/uy;
const tilde = /~[\w-]*(?=[/ \t\n;&|)]|$)/y;
const braces = /\{[\w./,-]*\}/y;
const pattern = /[*?[^]/y;
const single = /'[^']*'/y;
const escaped = /\\[^\n]/uy;
const variable = /\$(?:[A-Za-z_]\w*(?![\w[])|\{[A-Za-z_]\w*\}(?!\[))/y;

/** Reads one word; throws `UncertainShell` when its end or its meaning is not certain. */
export function readWord(cursor: Cursor, readSubstitution: ReadSubstitution): StrictWord {
  const start = cursor.at;
  const draft: Draft = { value: '', open: false, expands: false };
  const home = take(cursor, tilde);
  draft.value += home ?? '';
  if (home === undefined && cursor.text[start] === '~') throw new UncertainShell();
  while (cursor.at < cursor.text.length && !/[ \t\n;&|()<>]/.test(cursor.text[cursor.at] ?? ''))
    readPart(cursor, draft, readSubstitution);
  if (cursor.at === start) throw new UncertainShell();
  const source = cursor.text.slice(start, cursor.at);
  // zsh replaces `=ls` by the path of ls.
  const open = draft.open || source.startsWith('=');
  return {
    value: draft.value,
    open,
    tilde: home !== undefined,
    namesFiles: draft.open && !draft.expands && !source.startsWith('='),
    source,
  };
}

function readPart(cursor: Cursor, draft: Draft, readSubstitution: ReadSubstitution): void {
  const literal = take(cursor, plain) ?? take(cursor, single)?.slice(1, -1) ?? takeEscaped(cursor)?.slice(1);
  const files = literal === undefined ? take(cursor, pattern) : undefined;
  if (literal !== undefined || files !== undefined) {
    draft.value += literal ?? files ?? '';
    draft.open ||= files !== undefined;
    return;
  }
  const alternatives = take(cursor, braces);
  if (alternatives !== undefined) expand(draft, alternatives);
  else if (cursor.text[cursor.at] === '$') readExpansion(cursor, draft, readSubstitution);
  else if (cursor.text[cursor.at] === '"') readDoubleQuoted(cursor, draft, readSubstitution);
  else if (cursor.text[cursor.at] === '~') expand(draft, take(cursor, /~/y) ?? '');
  else throw new UncertainShell();
}

function takeEscaped(cursor: Cursor): string | undefined {
  const found = take(cursor, escaped);
  // Older shells look for the end of a substitution without reading it as a command.
  if (found !== undefined && cursor.nested > 0) throw new UncertainShell();
  return found;
}

function readExpansion(cursor: Cursor, draft: Draft, readSubstitution: ReadSubstitution): void {
  const start = cursor.at;
  if (take(cursor, variable) === undefined) {
    if (take(cursor, /\$\((?!\()/y) === undefined) throw new UncertainShell();
    cursor.nested += 1;
    readSubstitution(cursor);
    cursor.nested -= 1;
  }
  expand(draft, cursor.text.slice(start, cursor.at));
}

function readDoubleQuoted(cursor: Cursor, draft: Draft, readSubstitution: ReadSubstitution): void {
  cursor.at += 1;
  while (take(cursor, /"/y) === undefined) {
    // A lone `$`, and `!` where no interactive shell would look into its history.
    const literal =
      take(cursor, /[^"\\$`!]+/y) ??
      take(cursor, /\$(?=[" ])|!(?=[" \t\n])/y) ??
      takeEscaped(cursor)?.replace(/^\\(?=["$\\`])/, '');
    if (literal !== undefined) draft.value += literal;
    else readExpansion(cursor, draft, readSubstitution);
  }
}

function expand(draft: Draft, source: string): void {
  draft.value += source;
  draft.open = true;
  draft.expands = true;
}
