import { type Composer, type Draft, replaceDraft } from './composer.ts';

/** Where a person is in the messages of before, and the draft to return to. */
export interface HistoryWalk {
  /** The newest message is 0; -1 is the draft. */
  readonly index: number;
  readonly draft: Draft;
}

/** A composer that shows a message of before. */
export interface Walked {
  readonly composer: Composer;
  readonly walk: HistoryWalk | undefined;
}

/**
 * Shows the message before (`step` 1) or after (-1) the one that is shown; after the newest comes the draft again.
 * `entries` are the texts, the newest first. Undefined when there is none.
 */
export function walkHistory(
  composer: Composer,
  walk: HistoryWalk | undefined,
  { entries, step }: { readonly entries: readonly string[]; readonly step: 1 | -1 },
): Walked | undefined {
  const { text, cursor, isLiteral } = composer;
  const index = (walk?.index ?? -1) + step;
  const draft = walk?.draft ?? { text, cursor, isLiteral };
  if (index === -1 && walk !== undefined)
    return { composer: { ...replaceDraft(composer, ''), ...draft }, walk: undefined };
  const entry = entries[index];
  if (entry === undefined) return undefined;
  return { composer: replaceDraft(composer, entry), walk: { index, draft } };
}
