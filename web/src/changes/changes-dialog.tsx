import { useMemo, useState } from 'react';
import type { ViewNode } from '../../../src/projections/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { fileGroups } from './file-groups.ts';
import { FileRow } from './file-row.tsx';
import type { ThreadScope } from './thread-scope.ts';

interface ChangesDialogProps {
  /** The turn whose changes are shown first. */
  readonly node: ViewNode;
  readonly scope: ThreadScope;
  readonly onClose: () => void;
}

/** The files that a turn or the whole thread changed, each with its diff on demand. */
export function ChangesDialog({ node, scope, onClose }: ChangesDialogProps) {
  const [extent, setExtent] = useState<'turn' | 'thread'>('turn');
  const groups = useMemo(() => fileGroups(extent === 'turn' ? [node] : scope.nodes()), [extent, node, scope]);
  return (
    <Dialog label="Changes" look="wide" onClose={onClose}>
      <div className="changes">
        <div className="changes-extent" role="group" aria-label="Which changes">
          <button type="button" className="button" aria-pressed={extent === 'turn'} onClick={() => setExtent('turn')}>
            This turn
          </button>
          <button
            type="button"
            className="button"
            aria-pressed={extent === 'thread'}
            onClick={() => setExtent('thread')}
          >
            This thread
          </button>
        </div>
        <ul className="changes-files" aria-label="Changed files">
          {groups.map(group => (
            <FileRow key={`${extent} ${group.path}`} group={group} />
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
