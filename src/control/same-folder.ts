import { homedir } from 'node:os';
import { realpathSync } from 'node:fs';

/** Whether two paths refer to the same folder, after resolving links; false for an unknown one. */
export function isSameFolder(one: string | undefined, other: string): boolean {
  return one !== undefined && realPath(one) === realPath(other);
}

/** Returns a folder as people write it: with `~` for their home. */
export function shortFolder(folder: string): string {
  return folder.replace(homedir(), '~');
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // It was removed.
  }
}
