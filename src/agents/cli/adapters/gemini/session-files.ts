import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { toRecord, type WireRecord } from '../../shared/wire-value.ts';

const minuteMs = 60_000;

type Environment = Readonly<Record<string, string | undefined>>;

function temporaryFolder(environment: Environment): string {
  return join(environment['GEMINI_CLI_HOME'] ?? environment['HOME'] ?? '', '.gemini', 'tmp');
}

/**
 * Returns how long the load of a session has to wait. Gemini empties a session that it loads in the minute in which the
 * session was created: the minute in the name of its file.
 */
export function loadDelay(sessionId: string, environment: Environment, now: number): number {
  const minute = new Date(now).toISOString().slice(0, 16).replace(':', '-');
  const name = `session-${minute}-${sessionId.slice(0, 8)}.json`;
  const folder = temporaryFolder(environment);
  const isNew = filesIn(folder).some(project =>
    [name, `${name}l`].some(file => existsSync(join(folder, project, 'chats', file))),
  );
  // A second more, in case its clock is read later.
  return isNew ? minuteMs - (now % minuteMs) + 1_000 : 0;
}

/**
 * Removes the empty recordings that earlier loads of a session left. When Gemini starts, its clean-up deletes such a
 * recording together with every other one of the same session, the conversation included.
 */
export function removeEmptyRecordings(sessionId: string, environment: Environment): void {
  for (const paths of listRecordings(sessionId, environment)) {
    const recordings = paths.map(path => ({ path, isEmpty: isEmptyRecording(path) }));
    if (recordings.every(({ isEmpty }) => isEmpty)) continue;
    for (const { path, isEmpty } of recordings) if (isEmpty) rmSync(path, { force: true });
  }
}

/** Returns what Gemini has of a session: its recordings, those of its subagents and its plans. */
export function findSessionFiles(sessionId: string, environment: Environment): string[] {
  const folder = temporaryFolder(environment);
  const others = filesIn(folder).flatMap(project => [
    join(folder, project, 'chats', sessionId),
    join(folder, project, sessionId),
  ]);
  return [...listRecordings(sessionId, environment).flat(), ...others.filter(path => existsSync(path))];
}

/** Lists the recordings of a session in each project. */
function listRecordings(sessionId: string, environment: Environment): string[][] {
  const folder = temporaryFolder(environment);
  const isOwn = (name: string) => name.endsWith(`-${sessionId.slice(0, 8)}.jsonl`);
  return filesIn(folder).map(project => {
    const chats = join(folder, project, 'chats');
    return filesIn(chats)
      .filter(isOwn)
      .map(name => join(chats, name));
  });
}

/**
 * Returns the folder in which Gemini keeps the files of a project: the one that its list of projects names or that
 * names the project itself, else a new one, which becomes that of the project when it names it.
 */
export function findProjectFolder(cwd: string, environment: Environment): string {
  const folder = temporaryFolder(environment);
  const names = [readProjects(folder)[cwd], ...filesIn(folder)];
  const isOwn = (name: unknown): name is string =>
    typeof name === 'string' && readProjectOwner(join(folder, name)) === cwd;
  return join(folder, names.find(isOwn) ?? `${basename(cwd).replaceAll(/[^\w-]/g, '-')}-${randomUUID().slice(0, 8)}`);
}

/** Returns the working directory that a folder of Gemini is about. */
export function readProjectOwner(project: string): string | undefined {
  try {
    return readFileSync(join(project, '.project_root'), 'utf8').trim();
  } catch {
    // Older versions only list it.
    return Object.entries(readProjects(dirname(project))).find(([, name]) => name === basename(project))?.[0];
  }
}

function readProjects(folder: string): WireRecord {
  try {
    const { projects } = JSON.parse(readFileSync(join(dirname(folder), 'projects.json'), 'utf8')) as WireRecord;
    return toRecord(projects) ?? {};
  } catch {
    return {}; // There is no such list.
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // There is no such folder.
  }
}

/** Returns whether a recording contains no message; an unreadable line counts as a message. */
function isEmptyRecording(path: string): boolean {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.every(line => line === '' || !/^\{"id":|^[^{]/.test(line));
}

/** Reads a plan; only a file in the folder of the session's plans, as the program itself names it. */
export function readPlanFile(path: string, sessionId: string, environment: Environment): string | undefined {
  try {
    const file = realpathSync(path);
    const plans = dirname(file);
    const isPlan = basename(plans) === 'plans' && basename(dirname(plans)) === sessionId;
    const isInside = file.startsWith(`${realpathSync(temporaryFolder(environment))}/`);
    return isPlan && isInside ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined; // The plan was removed.
  }
}
