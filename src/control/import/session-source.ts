import { createHash } from 'node:crypto';
import { cliAdapters } from '../../agents/cli/adapters/cli-adapters.ts';
import type { FoundSession, SessionFormat, SessionPlace } from '../../agents/cli/sessions/session-format.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';

/** A session of an external agent that can be imported. */
export interface SessionSource {
  readonly agentId: string;
  readonly format: SessionFormat;
  readonly session: FoundSession;
}

/** The record of an imported session in the metadata of its thread. */
export interface ImportNote {
  readonly agentId: string;
  readonly sessionId: string;
  readonly path: string;
  /** The version of the session that was imported. */
  readonly version: string;
  /** The lines after which imports ended a turn that was complete: the next import makes the same events. */
  readonly pauses: readonly number[];
}

/** The key of the note in the metadata of a thread. */
export const importKey = 'importedFrom';

/** The external agents whose sessions can be imported. */
export const importableAgents: readonly string[] = Object.values(cliAdapters)
  .filter(({ session }) => session !== undefined)
  .map(({ id }) => id);

/** Yields the sessions of an agent, or of all of them; throws `invalid_argument` for an agent whose sessions cannot be read. */
export async function* findSessions(place: SessionPlace, agentId?: string): AsyncGenerator<SessionSource> {
  for (const id of agentId === undefined ? importableAgents : [agentId]) {
    const format = Object.hasOwn(cliAdapters, id) ? cliAdapters[id]?.session : undefined;
    if (format === undefined)
      throw new SingletreeError(
        'invalid_argument',
        `The sessions of "${id}" cannot be imported. Expected one of: ${importableAgents.join(', ')}.`,
      );
    for await (const session of format.find(place)) yield { agentId: id, format, session };
  }
}

/** Returns the id that begins those of a session's thread and runs: its own where that is usable. */
export function sessionKey({ session }: SessionSource): string {
  if (/^[\w.-]{1,100}$/.test(session.id)) return session.id;
  return createHash('sha256').update(session.id).digest('hex').slice(0, 32);
}

/** Returns the id of a session's thread; the second and later ones are branches that begin where the source took another way. */
export function threadIdFor(source: SessionSource, number = 1): string {
  const id = `${source.agentId}-${sessionKey(source)}`;
  return number === 1 ? id : `${id}-${number}`;
}

/** Returns the thread that follows a session, and how many threads it has. */
export async function findImportedThread(
  log: Pick<EventLog, 'getThread'>,
  source: SessionSource,
): Promise<{ readonly thread: Thread | undefined; readonly count: number }> {
  let thread: Thread | undefined;
  for (let count = 0; ; count++) {
    const next = await log.getThread(threadIdFor(source, count + 1));
    if (next?.importedSeq === undefined) return { thread, count };
    thread = next;
  }
}

/** Returns how a thread compares with its session. */
export function sessionStatus(thread: Thread | undefined, { session }: SessionSource): 'new' | 'imported' | 'changed' {
  if (thread === undefined) return 'new';
  return readNote(thread)?.version === session.version ? 'imported' : 'changed';
}

/** Returns the import note in a thread's metadata. */
export function readNote(thread: Thread | undefined): ImportNote | undefined {
  return thread?.metadata[importKey] as ImportNote | undefined;
}

/** A discovered session, with its state in the log. */
export interface ListedSession {
  readonly source: SessionSource;
  readonly status: ReturnType<typeof sessionStatus>;
  /** The thread that follows it. */
  readonly threadId: string | undefined;
}

/** Returns the sessions with their state in a log, newest first. */
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
