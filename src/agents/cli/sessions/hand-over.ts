import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../../../base/error-text.ts';
import type { Message } from '../../../projections/message.ts';
import type { Session } from '../../contract/host.ts';
import { runToEnd } from './run-to-end.ts';
import type { HandOverWay } from './session-format.ts';
import { findSessionFolder, listNames, type SessionUse, writeSessionRecord } from './session-record.ts';
import { toWrittenMessages } from './written-session.ts';

/** The session in which a run begins: one that the program created, or one that was written from the log. */
export interface ChosenSession extends Session {
  /** The file of a written session, for a channel that takes its path. */
  readonly path?: string;
  /** Whether it was written for this run. */
  readonly isNew?: boolean;
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
  const way = findWay(use);
  if (way?.by === 'prompt') return undefined;
  if (session === undefined || use.folder === undefined || way === undefined) return session;
  const isBehind = messages.slice(session.known).some(({ role }) => role === 'assistant');
  if (isBehind) return undefined;
  const path = await findWrittenFile(use, session.id);
  if (path === undefined) return session;
  return way.by === 'path' ? { ...session, path } : undefined;
}

/** Returns the file of a session that was written for a program; undefined when none was. */
export async function findWrittenFile(
  { adapter, folder }: Pick<SessionUse, 'adapter' | 'folder'>,
  sessionId: string,
): Promise<string | undefined> {
  const place = folder && findSessionFolder(folder, adapter.id, sessionId);
  if (place === undefined) return undefined;
  const name = (await listNames(place)).find(each => each.endsWith('.jsonl'));
  return name && join(place, name);
}

/**
 * Writes everything before the request as a new session of the program. Returns undefined when there is nothing to
 * write or the program cannot resume a written session, and the problem if the session could not be passed to the
 * program.
 */
export async function writeHandOver(
  use: SessionUse,
  messages: readonly Message[],
): Promise<ChosenSession | { readonly problem: string } | undefined> {
  const { adapter, folder, cwd } = use;
  const way = findWay(use);
  const known = messages.findLastIndex(({ role }) => role === 'user');
  if (folder === undefined || adapter.session === undefined || known <= 0) return undefined;
  if (way === undefined || way.by === 'prompt') return undefined;
  const before = toWrittenMessages(messages.slice(0, known));
  if (before.length === 0) return undefined;
  const findFolder = way.by === 'store' ? way.findFolder : (id: string) => join(folder, adapter.id, id);
  const model = way.by === 'import' ? way.model : undefined;
  const written = adapter.session.write({ messages: before, cwd, time: Date.now() - 60_000, model, findFolder });
  const place = findFolder(written.sessionId);
  const path = join(place, written.files[0]?.name ?? '');
  try {
    await mkdir(place, { recursive: true, mode: 0o700 });
    for (const { name, text } of written.files) await writeFile(join(place, name), text, { mode: 0o600, flag: 'wx' });
    if (way.by === 'store' && way.marker !== undefined)
      await writeFile(way.marker.path, way.marker.text, { mode: 0o600 });
    const id = (way.by === 'import' ? await importFile(use, way, path) : undefined) ?? written.sessionId;
    if (way.by === 'import') await rm(place, { recursive: true });
    const own = findSessionFolder(folder, adapter.id, id);
    if (own !== undefined) await writeSessionRecord(own, { sessionId: id, isInStore: way.by !== 'path' }, use);
    return { id, known, isNew: true, ...(way.by === 'path' && { path }) };
  } catch (error) {
    use.signal.throwIfAborted();
    return { problem: errorText(error) };
  }
}

/** Has the program import a file; returns the id that it reports. Rejects when the program fails. */
async function importFile(
  use: SessionUse,
  { args, readId }: HandOverWay & { readonly by: 'import' },
  path: string,
): Promise<string | undefined> {
  const { output, problem } = await runToEnd({ ...use, args: args(path) });
  const id = readId?.(output);
  if (problem === undefined && (readId === undefined || id !== undefined)) return id;
  throw new Error(`${use.adapter.name} did not import it: ${problem ?? output.trim()}`);
}

function findWay({ adapter, channel, environment, cwd, model }: SessionUse): HandOverWay | undefined {
  return adapter.session?.handOver?.(channel, { home: environment['HOME'] ?? homedir(), environment, cwd, model });
}
