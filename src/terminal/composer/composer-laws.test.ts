import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOfLine } from '../screen/styled-line.ts';
import { textWidth } from '../screen/text-width.ts';
import { toGraphemes } from './boundaries.ts';
import { type Composer, emptyComposer, insertChip, insertText, pasteText, wholeText } from './composer.ts';
import { draftView } from './draft-layout.ts';
import { type DraftAction, editDraft } from './edit-draft.ts';

/** A plain model: characters as a list, and the number of those before the cursor. */
interface Model {
  readonly characters: readonly string[];
  readonly cursor: number;
  readonly kills: readonly string[];
}

const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);

function modelWord({ characters, cursor }: Model, step: 1 | -1): number {
  let at = cursor;
  const next = () => characters[step === 1 ? at : at - 1];
  while (next() !== undefined && !isWord(next())) at += step;
  while (isWord(next())) at += step;
  return at;
}

function modelLine({ characters, cursor }: Model, step: 1 | -1): number {
  let at = cursor;
  const next = () => characters[step === 1 ? at : at - 1];
  while (next() !== undefined && next() !== '\n') at += step;
  return at;
}

function without(model: Model, to: number): Model {
  const [from, end] = [Math.min(model.cursor, to), Math.max(model.cursor, to)];
  return { ...model, characters: model.characters.toSpliced(from, end - from), cursor: from };
}

const clamp = (model: Model, to: number) => Math.max(0, Math.min(model.characters.length, to));

const modelEdits = {
  'draft.left': model => ({ ...model, cursor: clamp(model, model.cursor - 1) }),
  'draft.right': model => ({ ...model, cursor: clamp(model, model.cursor + 1) }),
  'draft.word-left': model => ({ ...model, cursor: modelWord(model, -1) }),
  'draft.word-right': model => ({ ...model, cursor: modelWord(model, 1) }),
  'draft.line-start': model => ({ ...model, cursor: modelLine(model, -1) }),
  'draft.line-end': model => ({ ...model, cursor: modelLine(model, 1) }),
  'draft.start': model => ({ ...model, cursor: 0 }),
  'draft.end': model => ({ ...model, cursor: model.characters.length }),
  'draft.delete-left': model => without(model, clamp(model, model.cursor - 1)),
  'draft.delete-right': model => without(model, clamp(model, model.cursor + 1)),
  'draft.kill-word-left': model => without(model, modelWord(model, -1)),
  'draft.kill-word-right': model => without(model, modelWord(model, 1)),
} satisfies Partial<Record<DraftAction, (model: Model) => Model>>;

const character = fc.constantFrom('a', 'b', 'Z', '1', ' ', '-', '\n', '字', '🙂', 'é');
const modelAction = fc.constantFrom(...(Object.keys(modelEdits) as (keyof typeof modelEdits)[]));
const anyAction = fc.constantFrom<DraftAction[]>(
  ...(Object.keys(modelEdits) as DraftAction[]),
  'draft.up',
  'draft.down',
  'draft.kill-line-left',
  'draft.kill-line-right',
  'draft.yank',
  'draft.yank-older',
  'draft.undo',
  'draft.redo',
  'draft.stash',
  'draft.expand',
  'draft.newline',
);
const anyStep: fc.Arbitrary<(composer: Composer) => Composer> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 4 }).map(text => (composer: Composer) => insertText(composer, text)),
  fc
    .constantFrom('\u0301', '\u200d', '🇩', '👩', 'x\r\ny', '\t', '\ud800')
    .map(text => (composer: Composer) => insertText(composer, text)),
  fc.constantFrom('short', 'long '.repeat(300)).map(text => (composer: Composer) => pasteText(composer, text)),
  fc.constant((composer: Composer) => insertChip(composer, { type: 'file', path: '/tmp/a.pdf', bytes: 12 })),
  anyAction.map(action => (composer: Composer) => editDraft(composer, action, 20)),
);
const grown = (steps: readonly ((composer: Composer) => Composer)[]) =>
  steps.reduce((composer, step) => step(composer), emptyComposer);

describe('the laws of the composer', () => {
  it('edits like a list of characters', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(character, modelAction), { maxLength: 40 }), steps => {
        let composer = emptyComposer;
        let model: Model = { characters: [], cursor: 0, kills: [] };
        for (const step of steps)
          if (step in modelEdits) {
            composer = editDraft(composer, step as DraftAction, 30);
            model = modelEdits[step as keyof typeof modelEdits](model);
          } else {
            composer = insertText(composer, step);
            model = {
              ...model,
              characters: model.characters.toSpliced(model.cursor, 0, step),
              cursor: model.cursor + 1,
            };
          }
        expect(composer.text).toBe(model.characters.join(''));
        expect(composer.cursor).toBe(model.characters.slice(0, model.cursor).join('').length);
      }),
      { numRuns: 400 },
    );
  });

  it('keeps the cursor between two characters, whatever is done', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 30 }), steps => {
        const { text, cursor } = grown(steps);
        const boundaries = new Set([0]);
        let at = 0;
        for (const line of text.split('\n')) {
          for (const grapheme of toGraphemes(line)) boundaries.add((at += grapheme.length));
          boundaries.add((at += 1));
        }
        expect(boundaries.has(cursor)).toBe(true);
        expect(wholeText(grown(steps))).not.toMatch(/[\ud800-\udfff]/u);
      }),
      { numRuns: 300 },
    );
  });

  it('undoes everything and redoes everything', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(character, modelAction), { maxLength: 30 }), steps => {
        const end = grown(
          steps.map(
            step => composer =>
              step in modelEdits ? editDraft(composer, step as DraftAction, 30) : insertText(composer, step),
          ),
        );
        const repeat = (composer: Composer, action: DraftAction) =>
          steps.reduce(each => editDraft(each, action, 30), composer);
        const undone = repeat(end, 'draft.undo');
        expect(undone.text).toBe('');
        expect(repeat(undone, 'draft.redo').text).toBe(end.text);
      }),
      { numRuns: 200 },
    );
  });

  it('inserts again what was cut', () => {
    fc.assert(
      fc.property(
        fc.array(anyStep, { maxLength: 20 }),
        fc.constantFrom<DraftAction[]>('draft.kill-word-left', 'draft.kill-line-left', 'draft.kill-line-right'),
        (steps, action) => {
          const before: Composer = { ...grown(steps), last: { type: 'move' }, kills: [] };
          const after = editDraft(editDraft(before, action, 20), 'draft.yank', 20);
          expect(after.text).toBe(before.text);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('shows the text in rows that fit, with the cursor inside', () => {
    fc.assert(
      fc.property(
        fc.array(anyStep, { maxLength: 30 }),
        fc.integer({ min: 3, max: 40 }),
        fc.integer({ min: 1, max: 8 }),
        (steps, width, maxRows) => {
          const composer = grown(steps);
          const { rows, cursor, above, below } = draftView(composer, { width, maxRows });
          expect(rows.length).toBeGreaterThan(0);
          expect(rows.length).toBeLessThanOrEqual(maxRows);
          expect(above === 0 || rows.length === maxRows).toBe(true);
          for (const row of rows) expect(textWidth(textOfLine(row))).toBeLessThan(Math.max(3, width));
          expect(cursor.row).toBeGreaterThanOrEqual(0);
          expect(cursor.row).toBeLessThan(rows.length);
          expect(cursor.column).toBeLessThan(width);
          const all = draftView(composer, { width, maxRows: 1_000_000 });
          expect(all.rows.length).toBe(rows.length + above + below);
          if (composer.chips.length === 0 && !/[\t\p{M}\p{Cf}]/u.test(composer.text))
            expect(all.rows.map(textOfLine).join('')).toBe(composer.text.replaceAll('\n', ''));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('returns to the same place after as many moves up as down, where the rows are long enough', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('aaaa', 'bbbb\n'), { maxLength: 12 }), fc.nat(60), (parts, at) => {
        const text = `${parts.join('')}aaaa\nbbbb\ncccc`;
        const composer: Composer = { ...insertText(emptyComposer, text), cursor: Math.min(at, text.length) };
        const up = editDraft(composer, 'draft.up', 12);
        if (up.cursor !== composer.cursor) expect(editDraft(up, 'draft.down', 12).cursor).toBe(composer.cursor);
      }),
      { numRuns: 200 },
    );
  });
});
