import { useCallback, useEffect, useRef, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import type { SessionInfo } from '../../../src/protocols/http-sessions.ts';

/** The progress of an import, and its problems. */
export interface ImportProgress {
  readonly isRunning: boolean;
  readonly done: number;
  readonly all: number;
  /** The share of the bytes that is imported, from 0 to 1. */
  readonly share: number;
  readonly secrets: number;
  readonly problems: readonly { readonly session: SessionInfo; readonly problem: string }[];
}

/** Imports sessions one after the other; leaving the view ends it after the one under way. */
export function useSessionImport(client: Client, onEnd: () => void) {
  const [progress, setProgress] = useState<ImportProgress>();
  const stopped = useRef(false);
  const stop = useCallback(() => void (stopped.current = true), []);
  useEffect(() => {
    stopped.current = false;
    return stop;
  }, [stop]);

  const start = async (sessions: readonly SessionInfo[], skipSecrets: boolean) => {
    stopped.current = false;
    const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
    let state: ImportProgress = { isRunning: true, done: 0, all: sessions.length, share: 0, secrets: 0, problems: [] };
    setProgress(state);
    let read = 0;
    for (const session of sessions) {
      if (stopped.current) break;
      try {
        const { secrets } = await client.importSession(session.id, { skipSecrets });
        state = { ...state, secrets: state.secrets + secrets };
      } catch (error) {
        state = { ...state, problems: [...state.problems, { session, problem: errorText(error) }] };
      }
      read += session.bytes;
      state = { ...state, done: state.done + 1, share: bytes === 0 ? 1 : read / bytes };
      setProgress(state);
    }
    setProgress({ ...state, isRunning: false });
    onEnd();
  };
  return { progress, start, stop };
}
