import { useCallback, useEffect } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { useAnswer, useHistory } from '../history/use-history.ts';
import { useLoaded } from '../parts/use-loaded.ts';
import type { Compared } from './compared.ts';

interface ColumnReaderProps {
  readonly client: Client;
  readonly threadId: string;
  readonly onRead: (column: Compared) => void;
}

/** Reads one thread and its worktree for a comparison; shows nothing itself. */
export function ColumnReader({ client, threadId, onRead }: ColumnReaderProps) {
  const state = useHistory(threadId);
  const summary = useAnswer(state, 'summary', null);
  const hasWorktree = summary?.folder?.hasWorktree === true;
  // The files are read again when a call has ended or the folder changes, not for each word.
  const stamp = hasWorktree ? `${summary.status} ${summary.toolCalls} ${summary.folder?.seq}` : undefined;
  const load = useCallback(
    () => (stamp === undefined ? Promise.resolve(undefined) : client.getWorktree(threadId).catch(() => undefined)),
    [client, threadId, stamp],
  );
  const { value: worktree } = useLoaded(load);
  const changes = useAnswer(state, 'changes', hasWorktree || summary === undefined ? undefined : null);
  const { problem } = state.status;
  useEffect(
    () => onRead({ threadId, summary, problem, worktree: hasWorktree ? worktree : undefined, changes }),
    [threadId, summary, problem, worktree, hasWorktree, changes, onRead],
  );
  return null;
}
