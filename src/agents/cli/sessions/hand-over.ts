import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../../../events/index.ts';
import type { Message } from '../../../projections/message.ts';
import type { Session } from '../../agent.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { toWrittenMessages } from './written-session.ts';

/** A session of a program in which a run begins: one of its own, or one that was written from the log. */
export interface ChosenSession extends Session {
  /** The file of a written session, for a channel that takes its path. */
  readonly path?: string;
  /** Whether it was written for this run. */
  readonly isNew?: boolean;
}

/** How a run uses its program, as far as sessions depend on it. */
export interface SessionUse {
  readonly adapter: Pick<CliAdapter, 'id' | 'session'>;
  readonly channel: 'print' | 'live';
  /** The folder of written sessions; none is written without it. */
  readonly folder: string | undefined;
  readonly cwd: string;
  /** The variables that the program gets. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Returns the session in which a program can continue a conversation, with the path of a written one; undefined when it
 * lacks turns of other agents, or the channel cannot find it, and one can be written that has everything.
 */
export async function findUsableSession(
  use: SessionUse,
  messages: readonly Message[],
  session: Session | undefined,
): Promise<ChosenSession | undefined> {
  const { adapter, folder } = use;
  if (session === undefined || folder === undefined || adapter.session?.storeFor === undefined) return session;
  const isBehind = messages.slice(session.known).some(({ role }) => role === 'assistant');
  if (isBehind) return undefined;
  const path = await findWrittenFile(use, session.id);
  if (path === undefined) return session;
  return findStore(use) === undefined ? { ...session, path } : undefined;
}

/** Returns the file of a session that was written for a program; undefined when none was. */
export async function findWrittenFile(
  { adapter, folder }: Pick<SessionUse, 'adapter' | 'folder'>,
  sessionId: string,
): Promise<string | undefined> {
  // Ids of an imported thread were written by others.
  if (folder === undefined || !/^[\w-]+$/.test(sessionId)) return undefined;
  const place = join(folder, adapter.id, sessionId);
  try {
    const name = (await readdir(place)).find(each => each.endsWith('.jsonl'));
    return name && join(place, name);
  } catch {
    return undefined;
  }
}

/**
 * Writes everything before the request as a new session of the program. Returns undefined when there is nothing to write
 * or the program cannot resume a written session, and the problem when its file cannot be written.
 */
export async function writeHandOver(
  use: SessionUse,
  messages: readonly Message[],
): Promise<ChosenSession | { readonly problem: string } | undefined> {
  const { adapter, folder, cwd } = use;
  const known = messages.findLastIndex(({ role }) => role === 'user');
  if (folder === undefined || adapter.session?.storeFor === undefined || known <= 0) return undefined;
  const before = toWrittenMessages(messages.slice(0, known));
  if (before.length === 0) return undefined;
  const store = findStore(use);
  const { sessionId, files } = adapter.session.write({ messages: before, cwd, time: Date.now() - 60_000, folder });
  const place = store ?? join(folder, adapter.id, sessionId);
  try {
    await mkdir(place, { recursive: true, mode: 0o700 });
    for (const { name, text } of files) await writeFile(join(place, name), text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    return { problem: errorText(error) };
  }
  const [main] = files;
  const path = store === undefined && main !== undefined ? { path: join(place, main.name) } : {};
  return { id: sessionId, known, isNew: true, ...path };
}

/** The program's own folder, for a channel that finds sessions only there. */
function findStore({ adapter, channel, environment }: SessionUse): string | undefined {
  return adapter.session?.storeFor?.(channel, { home: environment['HOME'] ?? homedir(), environment });
}
