import type { ViewNode } from '../../../src/projections/reading/view-node.ts';
import { useBranches } from './branch-actions.ts';
import { NextIcon, PreviousIcon } from '../parts/icons.tsx';
import { QuietButton } from '../parts/quiet-button.tsx';

/** Shows which version of a message is selected, and switches to the others. */
export function VersionSwitcher({ siblings: { ids, index } }: { siblings: ViewNode['siblings'] }) {
  const { select, blocked } = useBranches();
  const previous = ids[index - 1];
  const next = ids[index + 1];
  return (
    <span className="versions">
      <QuietButton
        label="Previous version"
        blocked={blocked ?? (previous === undefined ? 'This is the first version' : undefined)}
        onClick={() => previous !== undefined && select(previous)}
      >
        <PreviousIcon />
      </QuietButton>
      <span className="versions-count" aria-hidden="true">
        {index + 1} / {ids.length}
      </span>
      <span className="unseen">
        Version {index + 1} of {ids.length}
      </span>
      <QuietButton
        label="Next version"
        blocked={blocked ?? (next === undefined ? 'This is the newest version' : undefined)}
        onClick={() => next !== undefined && select(next)}
      >
        <NextIcon />
      </QuietButton>
    </span>
  );
}
