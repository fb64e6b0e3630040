import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../../../events/index.ts';
import type { Message } from '../../../projections/message.ts';
import type { Session } from '../../agent.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { lineText } from '../../process/line-reader.ts';
import { runProcess } from '../../process/run-process.ts';
import type { HandOverWay } from './session-format.ts';
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
  readonly adapter: Pick<CliAdapter, 'id' | 'name' | 'session'>;
  readonly channel: 'print' | 'live';
  /** The folder of written sessions; none is written without it. */
  readonly folder: string | undefined;
  readonly cwd: string;
  readonly model: string | undefined;
  readonly executable: string;
  /** The variables that the program gets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly runId: string;
  readonly runMark: string | undefined;
  readonly signal: AbortSignal;
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
  // Ids of an imported thread were written by others.
  if (folder === undefined || !/^[\w-]+$/.test(sessionId)) return undefined;
  const place = join(folder, adapter.id, sessionId);
  const name = (await namesIn(place)).find(each => each.endsWith('.jsonl'));
  return name && join(place, name);
}

/**
 * Writes everything before the request as a new session of the program. Returns undefined when there is nothing to write
 * or the program cannot resume a written session, and the problem when it could not be given to the program.
 */
export async function writeHandOver(
  use: SessionUse,
  messages: readonly Message[],
): Promise<ChosenSession | { readonly problem: string } | undefined> {
  const { adapter, folder, cwd } = use;
  const way = findWay(use);
  const known = messages.findLastIndex(({ role }) => role === 'user');
  if (folder === undefined || adapter.session === undefined || way === undefined || known <= 0) return undefined;
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
    if (way.by === 'path') {
      await writeFile(join(place, ownerFile), use.runId, { mode: 0o600 });
      return { id: written.sessionId, known, isNew: true, path };
    }
    if (way.by === 'store') {
      if (way.marker !== undefined) await writeFile(way.marker.path, way.marker.text, { mode: 0o600 });
      return { id: written.sessionId, known, isNew: true };
    }
    const id = await importFile(use, way, path);
    await rm(place, { recursive: true });
    return { id: id ?? written.sessionId, known, isNew: true };
  } catch (error) {
    use.signal.throwIfAborted();
    return { problem: errorText(error) };
  }
}

/** The file that names the run for which a session was written. */
const ownerFile = 'run';

/** Removes the sessions in a folder that were written for runs. */
export async function removeWrittenSessions(folder: string, runIds: readonly string[]): Promise<void> {
  for (const agent of await namesIn(folder))
    for (const id of await namesIn(join(folder, agent))) {
      const place = join(folder, agent, id);
      const owner = await readFile(join(place, ownerFile), 'utf8').catch(() => undefined);
      if (owner !== undefined && runIds.includes(owner)) await rm(place, { recursive: true, force: true });
    }
}

/** The names in a folder; none when it is missing. */
function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** How long an import may take: some programs start slowly, and migrate their database first. */
const importMs = 120_000;

/** Has the program import a file; returns the id that it reports. Rejects when the program fails. */
async function importFile(
  { adapter, executable, cwd, environment: env, signal, runMark }: SessionUse,
  { args, readId }: HandOverWay & { readonly by: 'import' },
  path: string,
): Promise<string | undefined> {
  const lines = runProcess({
    command: executable,
    args: args(path),
    cwd,
    env,
    signal,
    runMark,
    timeoutMs: importMs,
    settleMs: 0,
    stopStepMs: 600,
    isFinished: () => false,
  });
  let output = '';
  for (let next = await lines.next(); ; next = await lines.next()) {
    if (next.done !== true) {
      output += `${lineText(next.value.bytes)}\n`;
      continue;
    }
    const { failedToStart, stopped, exitCode } = next.value;
    const id = readId?.(output);
    if (exitCode === 0 && (readId === undefined || id !== undefined)) return id;
    const reason = failedToStart?.message ?? stopped?.message ?? (output.trim() || `exit code ${exitCode}`);
    throw new Error(`${adapter.name} did not import it: ${reason}`);
  }
}

function findWay({ adapter, channel, environment, cwd, model }: SessionUse): HandOverWay | undefined {
  return adapter.session?.handOver?.(channel, { home: environment['HOME'] ?? homedir(), environment, cwd, model });
}
