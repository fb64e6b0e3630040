import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkAgentIds } from '../agents/agent-ids.ts';
import { errorText } from '../base/error-text.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { checkValue } from '../base/options/check-options.ts';
import { type Config, configDataSchema, configSchema } from './config-schema.ts';

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

/** Whether a configuration file is code, which reading it executes. */
export function isCode(file: string): boolean {
  return file.endsWith('.mjs');
}

/** Reads and validates a configuration file. Throws `invalid_config`: the file, the field and what was expected. */
export async function readConfig(file: string): Promise<Config> {
  const value = isCode(file) ? await importDefault(file) : await parseFile(file);
  try {
    checkValue(isCode(file) ? configSchema() : configDataSchema(), value, file);
    checkAgentIds(file, (value as Config).agents ?? []);
  } catch (error) {
    throw invalidConfig(errorText(error), error);
  }
  return value as Config;
}

async function importDefault(file: string): Promise<unknown> {
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    throw invalidConfig(`${file} failed when it was loaded: ${errorText(error)}`, error);
  }
  if (module.default === undefined)
    throw invalidConfig(`${file} has no default export. Expected "export default defineConfig({ … })".`);
  return module.default;
}

async function parseFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch (error) {
    throw invalidConfig(`${file} cannot be read as JSON: ${errorText(error)}`, error);
  }
}

function invalidConfig(message: string, cause?: unknown): SingletreeError {
  return new SingletreeError('invalid_config', message, { cause });
}
