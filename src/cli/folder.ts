import { existsSync, statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';

/** A folder as it was named; refuses one that does not exist. */
export function folder(path: string): string {
  if (existsSync(path) && statSync(path).isDirectory()) return path;
  throw new InvalidArgumentError('Expected a folder that exists.');
}
