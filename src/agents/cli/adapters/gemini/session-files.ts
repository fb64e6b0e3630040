import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const minuteMs = 60_000;

type Environment = Readonly<Record<string, string>>;

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
  let projects: string[];
  try {
    projects = readdirSync(folder);
  } catch {
    return 0;
  }
  const isNew = projects.some(project =>
    [name, `${name}l`].some(file => existsSync(join(folder, project, 'chats', file))),
  );
  // A second more, in case its clock is read later.
  return isNew ? minuteMs - (now % minuteMs) + 1_000 : 0;
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
    return undefined;
  }
}
