import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the data folder of Singletree: `SINGLETREE_HOME`, or `~/.singletree`. */
export function singletreeHome(env: NodeJS.ProcessEnv = process.env): string {
  return env['SINGLETREE_HOME'] || join(homedir(), '.singletree');
}
