import { existsSync, statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';

/** Returns an existing folder; throws when it does not exist. */
export function folder(path: string): string {
  if (existsSync(path) && statSync(path).isDirectory()) return path;
  throw new InvalidArgumentError('Expected a folder that exists.');
}
