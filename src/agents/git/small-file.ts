import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const mostBytes = 1024 * 1024;

/** Returns the text of a regular file; undefined for anything else, which is never waited for. */
export function readSmallFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= mostBytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined; // It is missing, or may not be read.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
