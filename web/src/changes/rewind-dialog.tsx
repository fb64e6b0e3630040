import { defined } from '../../../src/base/defined.ts';
import { useEffect, useState } from 'react';
import { errorText } from '../../../src/base/error-text.ts';
import type { RewindInfo } from '../../../src/protocols/http-folders.ts';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import type { ThreadScope } from './thread-scope.ts';

interface RewindDialogProps {
  readonly scope: ThreadScope;
  readonly direction: 'undo' | 'redo';
  /** The first message to take back. */
  readonly messageId?: string | undefined;
  readonly onClose: () => void;
}

const actions = { create: 'is created', change: 'is changed', delete: 'is deleted', none: 'stays' } as const;

/** Previews how an undo or a redo changes the files, including conflicts, and applies it on confirmation. */
export function RewindDialog({ scope, direction, messageId, onClose }: RewindDialogProps) {
  const { client, threadId } = scope;
  const [preview, setPreview] = useState<RewindInfo>();
  const [problem, setProblem] = useState<string>();
  const [force, setForce] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const request = (body: { preview?: boolean; force?: boolean }) =>
    direction === 'undo' ? client.undo(threadId, { ...body, ...defined({ messageId }) }) : client.redo(threadId, body);
  useEffect(() => {
    let isLeft = false;
    request({ preview: true }).then(
      info => !isLeft && setPreview(info),
      (error: unknown) => !isLeft && setProblem(errorText(error)),
    );
    return () => {
      isLeft = true;
    };
    // The preview is made once, when the dialog opens.
    // oxlint-disable-next-line exhaustive-deps
  }, []);
  const apply = async () => {
    setBusy(true);
    try {
      const { threadId: next } = await request({ force });
      onClose();
      if (next !== undefined) scope.openThread(next);
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  };
  const files = (preview?.folders ?? []).flatMap(folder => folder.files);
  const conflicts = files.filter(({ isConflict }) => isConflict).length;
  const name = direction === 'undo' ? 'Undo' : 'Redo';
  return (
    <Dialog label={direction === 'undo' ? 'Undo this turn and what follows' : 'Redo what was undone'} onClose={onClose}>
      <div className="rewind">
        {preview === undefined && problem === undefined && <p>Looking at the files…</p>}
        {preview && (
          <>
            <p>
              {direction === 'undo'
                ? 'The conversation continues in a new thread before this message; this one stays as it is.'
                : 'The conversation continues in the thread that was undone.'}
            </p>
            <ul aria-label="Files">
              {files.map(({ path, action, isConflict }) => (
                <li key={path} data-conflict={isConflict}>
                  <code>{path}</code>{' '}
                  {isConflict && !force ? 'was changed since by somebody else: it stays' : actions[action]}
                </li>
              ))}
              {files.length === 0 && <li>No files change.</li>}
            </ul>
            {preview.warnings?.map(warning => (
              <p key={warning} role="note">
                {warning}
              </p>
            ))}
            {conflicts > 0 && (
              <label className="check">
                <input type="checkbox" checked={force} onChange={event => setForce(event.target.checked)} />
                Also the files that were changed since
              </label>
            )}
          </>
        )}
        <DialogActions
          problem={problem}
          label={name}
          isDisabled={preview === undefined || isBusy}
          onAct={() => void apply()}
          onClose={onClose}
        />
      </div>
    </Dialog>
  );
}
