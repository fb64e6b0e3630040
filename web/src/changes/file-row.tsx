import { useState } from 'react';
import { visibleText } from '../code/visible-text.ts';
import { DiffCounts, DiffView } from '../diff/diff-view.tsx';
import { getSize, useFileDiffs } from '../diff/use-file-diffs.ts';
import { usePathName } from '../parts/folder-path.ts';
import type { FileGroup } from './file-groups.ts';

const mostCounted = 500_000;

/** A file with the number of its changed lines, and its diff on demand. */
export function FileRow({ group: { path, changes } }: { group: FileGroup }) {
  const [isOpen, setOpen] = useState(false);
  const nameOf = usePathName();
  const diffs = useFileDiffs(changes, getSize(changes) <= mostCounted);
  const sum = (count: 'added' | 'removed') => (diffs ?? []).reduce((all, diff) => all + diff[count], 0);
  return (
    <li>
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="diff-path" title={path}>
            {visibleText(nameOf(path))}
          </span>
          {diffs?.some(({ isUnknown }) => !isUnknown) === true && (
            <DiffCounts added={sum('added')} removed={sum('removed')} />
          )}
        </summary>
        {isOpen && <DiffView changes={changes} />}
      </details>
    </li>
  );
}
