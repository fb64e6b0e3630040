import { describe, expect, it } from 'vitest';
import { textOfLine } from '../screen/styled-line.ts';
import {
  clearDraft,
  type Composer,
  continueLine,
  emptyComposer,
  endsWithBackslash,
  insertChip,
  insertText,
  pasteText,
  sentDraft,
  submission,
} from './composer.ts';
import { draftView } from './draft-layout.ts';
import { type DraftAction, editDraft } from './edit-draft.ts';

const typed = (text: string) => insertText(emptyComposer, text);
const after = (composer: Composer, ...actions: DraftAction[]) =>
  actions.reduce((each, action) => editDraft(each, action, 80), composer);
const shown = (composer: Composer, width = 80, maxRows = 10) =>
  draftView(composer, { width, maxRows }).rows.map(textOfLine);
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');

describe('a paste', () => {
  it('of more than ten lines or 1,000 characters is a chip with its size, and is sent whole', () => {
    const composer = pasteText(typed('see '), lines(12));
    expect(shown(composer)).toEqual(['see [pasted 12 lines · 85 B]']);
    expect(submission(composer)).toEqual({ text: `see ${lines(12)}`, attachments: [], type: 'message' });
    expect(shown(pasteText(emptyComposer, 'x'.repeat(1_001)))).toEqual(['[pasted 1 line · 1 KB]']);
    expect(shown(pasteText(emptyComposer, lines(10)))).toHaveLength(10);
  });

  it('as a chip is deleted, cut and passed as one unit', () => {
    const composer = pasteText(typed('a '), lines(12));
    expect(after(composer, 'draft.delete-left').text).toBe('a ');
    expect(after(composer, 'draft.kill-word-left').text).toBe('a ');
    expect(after(composer, 'draft.kill-word-left', 'draft.yank').text).toBe(composer.text);
    expect(after(composer, 'draft.left').cursor).toBe(2);
    expect(after(composer, 'draft.word-left', 'draft.word-left').cursor).toBe(0);
  });

  it('can be expanded, and the expansion undone', () => {
    const composer = pasteText(typed('see '), lines(12));
    const expanded = after(composer, 'draft.expand');
    expect(expanded.text).toBe(`see ${lines(12)}`);
    expect(after(expanded, 'draft.undo').text).toBe(composer.text);
  });

  it('that starts with a slash or an exclamation mark is text', () => {
    expect(submission(pasteText(emptyComposer, '/quit'))?.type).toBe('message');
    expect(submission(pasteText(emptyComposer, '!rm -rf x'))?.type).toBe('message');
    expect(submission(pasteText(typed('!'), 'ls'))?.type).toBe('shell');
    const emptied = after(pasteText(emptyComposer, '/q'), 'draft.kill-line-left');
    expect(submission(insertText(emptied, '/quit'))?.type).toBe('command');
  });

  it('brings no control characters', () => {
    expect(pasteText(emptyComposer, 'a\u001b[2Jb\r\nc\u0007').text).toBe('a[2Jb\nc');
  });
});

describe('what is sent', () => {
  it('is a message, a command or a shell line by its first character', () => {
    expect(submission(typed('hello'))?.type).toBe('message');
    expect(submission(typed('/model x'))?.type).toBe('command');
    expect(submission(typed('/etc/hosts is a file'))?.type).toBe('message');
    expect(submission(typed('!ls'))?.type).toBe('shell');
    expect(submission(typed('!!ls'))?.type).toBe('private-shell');
    expect(submission(typed(' \n '))).toBeUndefined();
  });

  it('has the files as attachments', () => {
    const image = { type: 'image', path: '/tmp/shot.png', bytes: 2_048 } as const;
    const composer = insertChip(typed('what is '), image);
    expect(shown(composer)).toEqual(['what is [image shot.png · 2 KB]']);
    expect(submission(composer)).toEqual({ text: 'what is /tmp/shot.png', attachments: [image], type: 'message' });
  });

  it('continues on a new line after a backslash', () => {
    expect(endsWithBackslash(typed('a\\'))).toBe(true);
    expect(endsWithBackslash(typed('a\\\\'))).toBe(false);
    expect(endsWithBackslash(after(typed('a\\'), 'draft.left'))).toBe(false);
    expect(continueLine(typed('a\\')).text).toBe('a\n');
  });
});

describe('editing', () => {
  it('joins cuts in a row, and goes through older ones', () => {
    const cut = after(typed('one two three'), 'draft.kill-word-left', 'draft.kill-word-left');
    expect(after(cut, 'draft.yank').text).toBe('one two three');
    const two = after(insertText(cut, 'x'), 'draft.kill-word-left', 'draft.left', 'draft.end');
    expect(after(two, 'draft.yank').text).toBe('one x');
    expect(after(two, 'draft.yank', 'draft.yank-older').text).toBe('one two three');
  });

  it('undoes words, not characters', () => {
    let composer = emptyComposer;
    for (const character of 'one two') composer = insertText(composer, character);
    expect(after(composer, 'draft.undo').text).toBe('one');
    expect(after(composer, 'draft.undo', 'draft.undo').text).toBe('');
    expect(after(composer, 'draft.undo', 'draft.redo').text).toBe('one two');
  });

  it('puts a draft aside and takes it back, by key or when the next message was sent', () => {
    const stashed = after(typed('later'), 'draft.stash');
    expect(stashed.text).toBe('');
    expect(after(stashed, 'draft.stash').text).toBe('later');
    expect(sentDraft(insertText(stashed, 'now')).text).toBe('later');
    expect(clearDraft(insertText(stashed, 'now')).text).toBe('');
  });

  it('moves by the rows of the screen, and keeps the column', () => {
    const composer = typed(`${'a'.repeat(30)}\nb\n${'c'.repeat(9)}`);
    const up = editDraft(composer, 'draft.up', 21);
    expect(up.cursor).toBe(32);
    const first = editDraft(editDraft(up, 'draft.up', 21), 'draft.up', 21);
    expect(first.cursor).toBe(9);
  });
});

describe('the view of a draft', () => {
  it('wraps, and scrolls with the cursor when it is higher than its place', () => {
    const composer = typed(lines(20));
    const { cursor, above, below } = draftView(composer, { width: 40, maxRows: 5 });
    expect({ cursor, above, below }).toEqual({ cursor: { row: 4, column: 7 }, above: 15, below: 0 });
    expect(shown(after(composer, 'draft.start'), 40, 2)).toEqual(['line 0', 'line 1']);
  });

  it('moves a word to the next row, with the cursor behind it, unless it fills the row', () => {
    expect(shown(typed('it is subtracted'), 12)).toEqual(['it is ', 'subtracted']);
    expect(draftView(typed('it is subtracted'), { width: 12, maxRows: 4 }).cursor).toEqual({ row: 1, column: 10 });
    expect(shown(typed('subtracted'), 6)).toEqual(['subtr', 'acted']);
  });

  it('counts wide characters as two columns', () => {
    expect(shown(typed('字字字字'), 6)).toEqual(['字字', '字字']);
    expect(draftView(typed('字a'), { width: 20, maxRows: 2 }).cursor).toEqual({ row: 0, column: 3 });
  });
});
