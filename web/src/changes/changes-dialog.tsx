import { useMemo, useState } from 'react';
import type { ViewNode } from '../../../src/projections/reading/view-node.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ViewState } from '../parts/view-state.tsx';
import { BaseFiles } from './base-files.tsx';
import { fileGroups } from './file-groups.ts';
import { FileRow } from './file-row.tsx';
import type { ThreadScope } from './thread-scope.ts';

interface ChangesDialogProps {
  /** The turn whose changes are shown first; those of the thread when absent. */
  readonly node?: ViewNode | undefined;
  readonly scope: ThreadScope;
  readonly onClose: () => void;
}

const extentNames = { turn: 'This turn', thread: 'This thread', base: 'Against base' } as const;

type Extent = keyof typeof extentNames;

/** The files that a turn or the whole thread changed, or that differ from their base, each with its diff on demand. */
export function ChangesDialog({ node, scope, onClose }: ChangesDialogProps) {
  const [extent, setExtent] = useState<Extent>(node === undefined ? 'thread' : 'turn');
  const extents: readonly Extent[] = node === undefined ? ['thread', 'base'] : ['turn', 'thread', 'base'];
  return (
    <Dialog label="Changes" look="wide" onClose={onClose}>
      <div className="changes">
        <div className="changes-extent" role="group" aria-label="Which changes">
          {extents.map(each => (
            <button
              key={each}
              type="button"
              className="button"
              aria-pressed={extent === each}
              onClick={() => setExtent(each)}
            >
              {extentNames[each]}
            </button>
          ))}
        </div>
        {extent === 'base' ? (
          <BaseFiles scope={scope} />
        ) : (
          <RecordedFiles key={extent} node={extent === 'turn' ? node : undefined} scope={scope} />
        )}
      </div>
    </Dialog>
  );
}

/** The files that the calls of a turn, or of all loaded ones, changed. */
function RecordedFiles({ node, scope }: Pick<ChangesDialogProps, 'node' | 'scope'>) {
  const groups = useMemo(() => fileGroups(node === undefined ? scope.nodes() : [node]), [node, scope]);
  const isPart = node === undefined && !scope.isWhole();
  return (
    <>
      {isPart && <p className="changes-note">Only the messages that are loaded: earlier ones may have changed more.</p>}
      {groups.length === 0 && (
        <ViewState title="No tool reported a change of a file. What commands changed is shown against the base." />
      )}
      <ul className="changes-files" aria-label="Changed files">
        {groups.map(group => (
          <FileRow key={group.path} group={group} />
        ))}
      </ul>
    </>
  );
}
