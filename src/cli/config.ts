import { printJson, printResult } from './print.ts';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { configJsonSchema } from '../config/config-schema.ts';
import { describeUntrusted, trustQuestionText } from '../config/trust-text.ts';
import { loadConfig, type LoadedConfig, type UntrustedProject } from '../config/load-config.ts';
import { masked } from '../config/masked.ts';
import { TrustedFolders } from '../config/project-trust.ts';
import { visibleLine } from '../base/terminal-text.ts';
import { folder } from './command-options.ts';
import { singletreeHome } from './settings/home.ts';
import { listedCommand, subcommand } from './command-list.ts';
import { standardError, standardOutput } from '../control/standard-output.ts';
import { askYesNo, canAsk } from './ask-yes-no.ts';

interface ConfigCommandOptions {
  readonly cwd: string;
  readonly json?: boolean;
}

/** Adds `singletree config`, which prints the effective configuration and the source of each value. */
export function addConfigCommand(program: Command): void {
  const config = listedCommand(program, 'config')
    .option('--cwd <folder>', 'the folder to start from', folder, '.')
    .option('--json', 'print one JSON value per line')
    .action(async ({ cwd, json }: ConfigCommandOptions) => {
      const loaded = await loadConfig({ cwd: resolve(cwd), home: singletreeHome(), env: process.env });
      if (json === true) await printJson(loaded.values.map(value => ({ ...value, value: masked(value) })));
      else await standardOutput.write(`${configLines(loaded).join('\n')}\n`);
    });
  // The parent command accepts --json in any position, so its options apply to all subcommands.
  subcommand(config, 'trust [folder]', {
    description: 'let the configuration of a project folder run code, start programs and widen permissions',
    example: 'singletree config trust .',
  })
    .option('--json', 'print the result as JSON')
    .action(async (path = '.') => {
      new TrustedFolders(singletreeHome()).add(folder(path));
      await printResult(
        config.opts(),
        { folder: resolve(path), isTrusted: true },
        `Trusted: ${visibleLine(resolve(path))}`,
      );
    });
  subcommand(config, 'untrust [folder]', {
    description: 'take the trust in a project folder back',
    example: 'singletree config untrust .',
  })
    .option('--json', 'print the result as JSON')
    .action(async (path = '.') => {
      const wasTrusted = new TrustedFolders(singletreeHome()).remove(folder(path));
      const before = wasTrusted ? 'No longer trusted' : 'Was not trusted';
      const result = { folder: resolve(path), isTrusted: false, wasTrusted };
      await printResult(config.opts(), result, `${before}: ${visibleLine(resolve(path))}`);
    });
  subcommand(config, 'schema', {
    description: 'print the JSON Schema of singletree.config.json',
    example: 'singletree config schema > singletree.schema.json',
  })
    .option('--json', 'the default: one JSON value')
    .action(async () => {
      await standardOutput.writeJsonLines(`${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
    });
}

/** Returns the configuration as text: one line per value, then the settings that need trust. */
export function configLines({ files, values, untrusted }: LoadedConfig): string[] {
  const rows = values.map(
    value => [value.path, JSON.stringify(masked(value)), value.source].map(visibleLine) as [string, string, string],
  );
  const widths = [0, 1].map(column => Math.min(48, Math.max(0, ...rows.map(row => row[column as 0 | 1].length))));
  const found =
    files.length === 0
      ? 'none found (singletree.config.mjs or .json, here, above or in SINGLETREE_HOME)'
      : files.map(visibleLine).join(', ');
  return [
    `files: ${found}`,
    ...rows.map(
      ([path, value, source]) => `${path.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${source}`,
    ),
    ...(untrusted === undefined ? [] : ['', ...untrustedLines(untrusted)]),
  ];
}

/** Describes the configuration that a folder would add if it were trusted. */
export function untrustedLines(project: UntrustedProject): string[] {
  return [
    ...describeUntrusted(project),
    `To trust it: singletree config trust ${visibleLine(JSON.stringify(project.folder))}`,
  ];
}

/** A longer text may have scrolled out of view on a terminal of this width. */
const [fewRows, narrowColumns] = [20, 80];

/** Returns a function that asks on the terminal whether to trust a project folder; undefined without a terminal. */
export function trustQuestion(): ((project: UntrustedProject) => Promise<boolean>) | undefined {
  if (!canAsk()) return undefined;
  return async project => {
    const lines = describeUntrusted(project);
    const rows = lines.reduce((sum, line) => sum + Math.ceil(line.length / narrowColumns), 0);
    const hint = rows > fewRows ? `These are ${rows} rows or more: scroll up and read all of them first.\n` : '';
    await standardError.write(`${lines.join('\n')}\n${hint}`);
    return askYesNo(trustQuestionText);
  };
}
