import { memo, useEffect, useState } from 'react';
import type { ViewNode } from '../../../src/projections/reading/view-node.ts';
import { QuietButton } from '../parts/quiet-button.tsx';
import { ChangesDialog } from './changes-dialog.tsx';
import { fileGroups, hasCheckpoint } from './file-groups.ts';
import { RewindDialog } from './rewind-dialog.tsx';
import { useThreadScope } from './thread-scope.ts';

/** The files that a finished turn changed, and a button to take them back; nothing when it changed none. */
export const TurnChanges = memo(function TurnChanges({ messageId }: { messageId: string }) {
  const scope = useThreadScope();
  const [shown, setShown] = useState<'changes' | 'undo'>();
  const [turn, setTurn] = useState<{ node: ViewNode; files: number; canUndo: boolean }>();
  useEffect(() => {
    const node = scope?.nodes().findLast(each => (each.id === messageId ? each : undefined));
    setTurn(node && { node, files: fileGroups([node]).length, canUndo: hasCheckpoint(node) });
  }, [scope, messageId]);
  if (scope === undefined || turn === undefined) return null;
  const { node, files, canUndo } = turn;
  const close = () => setShown(undefined);
  return (
    <>
      {files > 0 && (
        <QuietButton onClick={() => setShown('changes')}>
          {files === 1 ? '1 file changed' : `${files} files changed`}
        </QuietButton>
      )}
      {canUndo && <QuietButton onClick={() => setShown('undo')}>Undo</QuietButton>}
      {shown === 'changes' && <ChangesDialog node={node} scope={scope} onClose={close} />}
      {shown === 'undo' && <RewindDialog scope={scope} direction="undo" messageId={node.answers} onClose={close} />}
    </>
  );
});
