import { useCallback, useEffect, useRef, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import type { ThreadChangeBody, ThreadInfo } from '../../../src/protocols/http-api.ts';
import { useLatest } from '../parts/use-latest.ts';
import type { ThreadList } from './thread-list.ts';
import { getTitle } from './use-threads.ts';

/** How long a deletion can be undone. */
const undoMs = 8000;

/** A deletion that can still be undone. */
export interface PendingDeletion {
  readonly thread: ThreadInfo;
  readonly undo: () => void;
}

export interface ThreadActions {
  readonly change: (thread: ThreadInfo, change: ThreadChangeBody) => void;
  readonly branch: (thread: ThreadInfo) => void;
  /** Hides a thread at once, and deletes it unless the user undoes that in time. */
  readonly remove: (thread: ThreadInfo) => void;
}

interface ActionOptions {
  readonly client: Client;
  readonly list: ThreadList;
  /** Opens a thread, or the start. */
  readonly open: (threadId: string | undefined) => void;
  /** The thread that is open. */
  readonly current: string | undefined;
}

/** Returns the actions on threads, the deletion that can be undone, and the last problem. */
export function useThreadActions({ client, list, open, current }: ActionOptions) {
  const [deletion, setDeletion] = useState<PendingDeletion>();
  const [problem, setProblem] = useState<string>();
  const latest = useLatest({ open, current });
  /** Completes the deletion that waits. */
  const complete = useRef<(() => void) | undefined>(undefined);

  useEffect(() => {
    const onLeave = () => complete.current?.();
    addEventListener('pagehide', onLeave);
    return () => removeEventListener('pagehide', onLeave);
  }, []);

  const attempt = useCallback(async (action: () => Promise<void>) => {
    try {
      await action();
      setProblem(undefined);
    } catch (error) {
      setProblem(errorText(error));
    }
  }, []);

  const remove = useCallback(
    (thread: ThreadInfo) => {
      complete.current?.();
      list.hide(thread.id, true);
      if (latest.current.current === thread.id) latest.current.open(undefined);
      const end = () => {
        clearTimeout(timer);
        complete.current = undefined;
        setDeletion(undefined);
      };
      const timer = setTimeout(() => complete.current?.(), undoMs);
      complete.current = () => {
        end();
        void attempt(async () => {
          try {
            await client.deleteThread(thread.id);
            list.drop(thread.id);
          } catch (error) {
            list.hide(thread.id, false);
            throw error;
          }
        });
      };
      const undo = () => {
        end();
        list.hide(thread.id, false);
      };
      setDeletion({ thread, undo });
    },
    [attempt, client, latest, list],
  );

  const change = useCallback(
    (thread: ThreadInfo, fields: ThreadChangeBody) =>
      void attempt(async () => {
        // What a mark that was removed leaves out would stay.
        const { isPinned = false, isArchived = false, ...changed } = await client.changeThread(thread.id, fields);
        const { status: _, ...shown } = { ...changed, isPinned, isArchived };
        list.put({ ...thread, ...shown });
      }),
    [attempt, client, list],
  );

  const branch = useCallback(
    (thread: ThreadInfo) =>
      void attempt(async () => {
        const made = await client.branchThread(thread.id, { title: `${getTitle(thread).slice(0, 480)} (branch)` });
        list.put(made);
        latest.current.open(made.id);
      }),
    [attempt, client, latest, list],
  );

  const dismiss = useCallback(() => setProblem(undefined), []);
  return { actions: { change, branch, remove } satisfies ThreadActions, deletion, problem, dismiss };
}
