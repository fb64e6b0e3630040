import { useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { type Compared, getName } from './compared.ts';

interface KeepDialogProps {
  readonly client: Client;
  /** The column that is kept. */
  readonly column: Compared;
  readonly others: readonly Compared[];
  readonly onClose: () => void;
}

/** Applies the changes of one agent to the original folder, and then offers to remove the worktrees. */
export function KeepDialog({ client, column, others, onClose }: KeepDialogProps) {
  const [kept, setKept] = useState<readonly string[]>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { worktree, threadId } = column;
  if (worktree === undefined) return null;
  const act = (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    work()
      .catch((error: unknown) => setProblem(errorText(error)))
      .finally(() => setBusy(false));
  };
  const keep = () => act(async () => setKept((await client.keepWorktree(threadId)).files));
  const withWorktree = others.filter(other => other.worktree !== undefined);
  const lost = withWorktree.filter(other => other.worktree?.isClean === false);
  const remove = () =>
    act(async () => {
      for (const each of [column, ...withWorktree]) await client.removeWorktree(each.threadId, { force: true });
      onClose();
    });
  return (
    <Dialog label={kept === undefined ? `Keep the changes of ${getName(column)}` : 'Kept'} onClose={onClose}>
      <div className="rewind">
        {kept === undefined ? (
          <>
            <p>
              These changes are applied to <code>{worktree.origin}</code>, all of them or none. Nothing is committed.
            </p>
            <ul aria-label="Files">
              {worktree.files.map(({ path, action }) => (
                <li key={path}>
                  <code>{path}</code>{' '}
                  {action === 'add' ? 'is created' : action === 'delete' ? 'is deleted' : 'is changed'}
                </li>
              ))}
            </ul>
          </>
        ) : (
          <>
            <p>
              {kept.length === 1 ? '1 file was' : `${kept.length} files were`} changed in <code>{worktree.origin}</code>
              . The conversation continues there.
            </p>
            <p>
              The worktrees are not needed any more.
              {lost.length > 0 && ` Removing them discards the changes of ${lost.map(getName).join(' and ')}.`}
            </p>
          </>
        )}
        <DialogActions
          problem={problem}
          label={kept === undefined ? 'Apply changes' : `Remove ${withWorktree.length + 1} worktrees`}
          isDisabled={isBusy}
          onAct={kept === undefined ? keep : remove}
          cancelLabel={kept === undefined ? 'Cancel' : 'Leave them'}
          onClose={onClose}
        />
      </div>
    </Dialog>
  );
}
