import { realpathSync } from 'node:fs';

/** Whether two paths name one folder, whatever links lead to it; false for an unknown one. */
export function isSameFolder(one: string | undefined, other: string): boolean {
  return one !== undefined && realPath(one) === realPath(other);
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // It was removed.
  }
}
