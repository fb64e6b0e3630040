import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type McpGrant, mcpGrants } from '../server/mcp/mcp-access.ts';

/** Adds `--json` to a command that prints a list, or one result. */
export function addJsonOption(command: Command, prints: 'list' | 'result' = 'list'): Command {
  return command.option('--json', prints === 'list' ? 'print one JSON value per line' : 'print the result as JSON');
}

/** Adds the option that prints diagnostics. */
export function addVerboseOption(command: Command): Command {
  return command.option('--verbose', 'print on stderr what failed in the background and is tried again');
}

/** Adds `--store`, `--live` and `--db` to a command. */
export function addStoreOptions(command: Command): Command {
  return command
    .option(
      '--store <url>',
      'the log: file:PATH or postgres://…; by default SINGLETREE_STORE, else a file in SINGLETREE_HOME',
    )
    .option('--live <url>', 'the live tail of a postgres:// log: redis://…; by default SINGLETREE_LIVE')
    .addOption(new Option('--db <file>', 'the file of the log: the same as --store file:FILE').conflicts('store'));
}

/** Adds a value of a repeatable option to those before it. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

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

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses `500ms`, `90s`, `10m` or `1h` to milliseconds; throws for anything else, also for a number without a unit. */
export function duration(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? [];
  const milliseconds = Number(amount) * (units[unit] ?? 1);
  if (amount === undefined || milliseconds < 1 || milliseconds > 2 ** 31 - 1)
    throw new InvalidArgumentError('expected a time with its unit, such as 90s, 10m or 1h');
  return milliseconds;
}

/** Creates the repeatable option that grants MCP clients more than reading. */
export function mcpAllowOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, before: readonly McpGrant[] | undefined) => {
    const grant = mcpGrants.find(each => each === value);
    if (grant === undefined) throw new InvalidArgumentError(`expected one of: ${mcpGrants.join(', ')}`);
    return [...(before ?? []), grant];
  });
}
