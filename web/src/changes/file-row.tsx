import { useState } from 'react';
import type { FileChange } from '../../../src/projections/index.ts';
import { visibleText } from '../code/visible-text.ts';
import { DiffCounts, DiffView } from '../diff/diff-view.tsx';
import { sizeOf, useFileDiffs } from '../diff/use-file-diffs.ts';

const mostCounted = 500_000;

interface FileRowProps {
  readonly path: string;
  readonly changes: readonly FileChange[];
}

/** A changed file with its counts; its diff is computed when it is opened. */
export function FileRow({ path, changes }: FileRowProps) {
  const [isOpen, setOpen] = useState(false);
  const diffs = useFileDiffs(changes, sizeOf(changes) <= mostCounted);
  const sum = (count: 'added' | 'removed') => (diffs ?? []).reduce((all, diff) => all + diff[count], 0);
  return (
    <li>
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="diff-path">{visibleText(path)}</span>
          {diffs?.some(({ isUnknown }) => !isUnknown) === true && (
            <DiffCounts added={sum('added')} removed={sum('removed')} />
          )}
        </summary>
        {isOpen && <DiffView changes={changes} />}
      </details>
    </li>
  );
}
