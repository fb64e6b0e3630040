import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SingletreeError } from '../base/singletree-error.ts';

/** The names of a configuration file. */
export const configNames = ['singletree.config.mjs', 'singletree.config.json'] as const;

/** Returns the configuration file of a folder; undefined when it has none. Throws when it has two. */
export function configIn(folder: string): string | undefined {
  const [found, second] = configNames.map(name => join(folder, name)).filter(existsSync);
  if (found !== undefined && second !== undefined)
    throw new SingletreeError(
      'invalid_config',
      `${folder} has two configuration files, ${configNames.join(' and ')}. Keep one of them.`,
    );
  return found;
}

/** Returns the nearest configuration file of a folder or one above it, except those of `without`. */
export function nearestConfig(folder: string, without: readonly string[] = []): string | undefined {
  const from = resolve(folder);
  const found = without.includes(from) ? undefined : configIn(from);
  const above = dirname(from);
  return found !== undefined || above === from ? found : nearestConfig(above, without);
}
