import type { EventOf } from '../../../src/events/vocabulary.ts';
import { Prose } from '../markdown/prose-view.tsx';
import { useBranches } from './branch-actions.ts';

const number = new Intl.NumberFormat('en');

/** A summary that replaces earlier messages, in one line that expands to its text and to a branch before it. */
export function CompactionRow({ event, seq }: { event: EventOf<'summary'>; seq: number | undefined }) {
  const { branchBefore, blocked } = useBranches();
  const { text, tokens, coveredTokens } = event;
  const size =
    tokens === undefined || coveredTokens === undefined
      ? ''
      : `: ${number.format(coveredTokens)} → ${number.format(tokens)} tokens`;
  return (
    <details className="reasoning">
      <summary>Earlier messages were summarised for the agent{size}</summary>
      <Prose text={text} />
      {seq !== undefined && (
        <button
          type="button"
          className="quiet-button"
          disabled={blocked !== undefined}
          title={
            blocked ??
            'Continues in a branch from before the summary, with every message whole. This conversation stays.'
          }
          onClick={() => branchBefore(seq)}
        >
          Undo the summary
        </button>
      )}
    </details>
  );
}
