import type { EventLog } from '../../log/event-log.ts';
import { findImportedThread, sessionStatus, type SessionSource } from './session-source.ts';

/** A session that was found, with what the log has of it. */
export interface ListedSession {
  readonly source: SessionSource;
  readonly status: ReturnType<typeof sessionStatus>;
  /** The thread that follows it. */
  readonly threadId: string | undefined;
}

/** Returns the sessions with what a log has of them, the newest first. */
export async function listSessions(
  log: Pick<EventLog, 'getThread'>,
  sources: AsyncIterable<SessionSource>,
): Promise<ListedSession[]> {
  const sessions: ListedSession[] = [];
  for await (const source of sources) {
    const { thread } = await findImportedThread(log, source);
    sessions.push({ source, status: sessionStatus(thread, source), threadId: thread?.id });
  }
  return sessions.toSorted((a, b) => (a.source.session.updatedAt < b.source.session.updatedAt ? 1 : -1));
}
