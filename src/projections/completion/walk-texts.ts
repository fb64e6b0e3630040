/** Where a person is in the texts of before, and the draft to return to. */
export interface TextWalk<Draft> {
  /** The newest text is 0. */
  readonly index: number;
  readonly draft: Draft;
}

/** The result of a step: an earlier text, or the draft when the walk is over. */
export type WalkStep<Draft> =
  | { readonly text: string; readonly walk: TextWalk<Draft> }
  | { readonly draft: Draft; readonly walk: undefined };

/**
 * Steps to the text before (`step` 1) or after (-1) the displayed one; the draft follows the newest text. `entries` are
 * the texts, newest first. Returns undefined when no text exists in that direction.
 */
export function walkTexts<Draft>(
  draft: Draft,
  walk: TextWalk<Draft> | undefined,
  { entries, step }: { readonly entries: readonly string[]; readonly step: 1 | -1 },
): WalkStep<Draft> | undefined {
  const index = (walk?.index ?? -1) + step;
  if (index === -1 && walk !== undefined) return { draft: walk.draft, walk: undefined };
  const text = entries[index];
  return text === undefined ? undefined : { text, walk: { index, draft: walk?.draft ?? draft } };
}
