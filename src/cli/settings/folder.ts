import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';

/** Returns an existing folder; throws when it does not exist. */
export function folder(path: string): string {
  if (existsSync(path) && statSync(path).isDirectory()) return path;
  throw new InvalidArgumentError('Expected a folder that exists.');
}

/** Returns a folder that exists or can be created; throws when a file is in its way. */
export function folderToWrite(path: string): string {
  let nearest = resolve(path);
  while (!existsSync(nearest)) nearest = dirname(nearest);
  if (statSync(nearest).isDirectory()) return path;
  throw new InvalidArgumentError(`"${nearest}" is a file. Expected a folder, which is created when it is missing.`);
}
