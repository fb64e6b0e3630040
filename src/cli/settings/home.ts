import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the data folder of Singletree: `SINGLETREE_HOME`, or `~/.singletree`. */
export function singletreeHome(env: NodeJS.ProcessEnv = process.env): string {
  return env['SINGLETREE_HOME'] || join(homedir(), '.singletree');
}

/** Creates the data folder, for this user only. */
export function makeSingletreeHome(env: NodeJS.ProcessEnv = process.env): void {
  mkdirSync(singletreeHome(env), { recursive: true, mode: 0o700 });
}

/** The folder of sessions that are written for external agents. */
export function writtenSessionsFolder(home: string): string {
  return join(home, 'sessions');
}
