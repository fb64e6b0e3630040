import { lineEnd, lineStart, nextBoundary, previousBoundary, wordEnd, wordStart } from './boundaries.ts';
import { change, type Composer, type Draft, expandChip, insertText, replaced, stashDraft } from './composer.ts';
import { rowMove } from './draft-layout.ts';
import type { ActionName } from '../keys/actions.ts';

/** The name of an action that edits the draft. */
export type DraftAction = Extract<ActionName, `draft.${string}`>;

const mostKills = 20;

type Edit = (composer: Composer, width: number) => Composer;

const move =
  (to: (draft: Draft) => number): Edit =>
  composer => {
    const { column: _, ...kept } = composer;
    return { ...kept, cursor: to(composer), last: { type: 'move' } };
  };

const remove =
  (to: (draft: Draft) => number): Edit =>
  composer => {
    const [from, end] = range(composer, to);
    return from === end ? composer : change(composer, replaced(composer, from, end, ''), { type: 'move' });
  };

const kill =
  (to: (draft: Draft) => number): Edit =>
  composer => {
    const [from, end] = range(composer, to);
    if (from === end) return composer;
    const cut = composer.text.slice(from, end);
    const changed = change(composer, replaced(composer, from, end, ''), { type: 'kill' });
    return { ...changed, kills: withKill(composer, cut, end === composer.cursor) };
  };

const edits: Readonly<Record<DraftAction, Edit>> = {
  'draft.newline': composer => insertText(composer, '\n'),
  'draft.stash': stashDraft,
  'draft.left': move(({ text, cursor }) => previousBoundary(text, cursor)),
  'draft.right': move(({ text, cursor }) => nextBoundary(text, cursor)),
  'draft.up': (composer, width) => rowMove(composer, width, -1) ?? composer,
  'draft.down': (composer, width) => rowMove(composer, width, 1) ?? composer,
  'draft.word-left': move(({ text, cursor }) => wordStart(text, cursor)),
  'draft.word-right': move(({ text, cursor }) => wordEnd(text, cursor)),
  'draft.line-start': move(({ text, cursor }) => lineStart(text, cursor)),
  'draft.line-end': move(({ text, cursor }) => lineEnd(text, cursor)),
  'draft.start': move(() => 0),
  'draft.end': move(({ text }) => text.length),
  'draft.delete-left': remove(({ text, cursor }) => previousBoundary(text, cursor)),
  'draft.delete-right': remove(({ text, cursor }) => nextBoundary(text, cursor)),
  'draft.kill-word-left': kill(({ text, cursor }) => wordStart(text, cursor)),
  'draft.kill-word-right': kill(({ text, cursor }) => wordEnd(text, cursor)),
  'draft.kill-line-left': kill(({ text, cursor }) => otherEnd(cursor, lineStart(text, cursor), -1)),
  'draft.kill-line-right': kill(({ text, cursor }) => otherEnd(cursor, lineEnd(text, cursor), 1, text.length)),
  'draft.yank': composer => yank(composer, composer.kills.length - 1, composer.cursor),
  'draft.yank-older': composer => {
    if (composer.last.type !== 'yank') return composer;
    const { kill: before, from } = composer.last;
    return yank(composer, (before + composer.kills.length - 1) % composer.kills.length, from);
  },
  'draft.undo': composer => restore(composer, 'undo', 'redo'),
  'draft.redo': composer => restore(composer, 'redo', 'undo'),
  'draft.expand': expandChip,
};

/** Returns the composer after an action; `width` is the number of columns of a row. */
export function editDraft(composer: Composer, action: DraftAction, width: number): Composer {
  return edits[action](composer, width);
}

/** Whether an action edits the draft. */
export function isDraftAction(action: ActionName): action is DraftAction {
  return action in edits;
}

function range(composer: Composer, to: (draft: Draft) => number): [number, number] {
  const end = to(composer);
  return [Math.min(composer.cursor, end), Math.max(composer.cursor, end)];
}

/** The end of a line; at it, the line break is meant. */
function otherEnd(cursor: number, end: number, step: 1 | -1, most = Number.POSITIVE_INFINITY): number {
  return cursor === end ? Math.max(0, Math.min(most, cursor + step)) : end;
}

/** Cuts in a row are one entry. */
function withKill({ kills, last }: Composer, cut: string, isBefore: boolean): readonly string[] {
  const newest = kills.at(-1);
  if (last.type !== 'kill' || newest === undefined) return [...kills, cut].slice(-mostKills);
  return [...kills.slice(0, -1), isBefore ? cut + newest : newest + cut];
}

function yank(composer: Composer, kill: number, from: number): Composer {
  const text = composer.kills[kill];
  if (text === undefined) return composer;
  return change(composer, replaced(composer, from, composer.cursor, text), { type: 'yank', from, kill });
}

function restore(composer: Composer, from: 'undo' | 'redo', to: 'undo' | 'redo'): Composer {
  const draft = composer[from].at(-1);
  if (draft === undefined) return composer;
  const { text, cursor, isLiteral, column: _, ...kept } = composer;
  return {
    ...kept,
    ...draft,
    [from]: composer[from].slice(0, -1),
    [to]: [...composer[to], { text, cursor, isLiteral }],
    last: { type: 'move' },
  };
}
