import { type TextWalk, walkTexts } from '../../projections/completion/walk-texts.ts';
import { type Composer, type Draft, replaceDraft } from './composer.ts';

/** Where a person is in the messages of before, and the draft to return to. */
export type HistoryWalk = TextWalk<Draft>;

/** A composer that shows a message of before. */
export interface Walked {
  readonly composer: Composer;
  readonly walk: HistoryWalk | undefined;
}

/** Shows the message before (`step` 1) or after (-1) the one that is shown, as `walkTexts` finds it. */
export function walkHistory(
  composer: Composer,
  walk: HistoryWalk | undefined,
  move: { readonly entries: readonly string[]; readonly step: 1 | -1 },
): Walked | undefined {
  const { text, cursor, isLiteral } = composer;
  const found = walkTexts<Draft>({ text, cursor, isLiteral }, walk, move);
  if (found === undefined) return undefined;
  if (found.walk === undefined) return { composer: { ...replaceDraft(composer, ''), ...found.draft }, walk: undefined };
  return { composer: replaceDraft(composer, found.text), walk: found.walk };
}
