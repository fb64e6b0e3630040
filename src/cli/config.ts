import { createInterface } from 'node:readline/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import {
  configJsonSchema,
  loadConfig,
  type LoadedConfig,
  masked,
  TrustedFolders,
  type UntrustedProject,
} from '../config/index.ts';
import { folder } from './settings/folder.ts';
import { singletreeHome } from './settings/home.ts';
import { listedCommand } from './command-list.ts';
import { subcommand } from './subcommand.ts';

interface ConfigCommandOptions {
  readonly cwd: string;
  readonly json?: boolean;
}

/** Adds `singletree config`, which prints the effective configuration and where each value comes from. */
export function addConfigCommand(program: Command): void {
  const config = listedCommand(program, 'config')
    .option('--cwd <folder>', 'the folder to start from', folder, '.')
    .option('--json', 'print one JSON value per line')
    .action(async ({ cwd, json }: ConfigCommandOptions) => {
      const loaded = await loadConfig({ cwd: resolve(cwd), home: singletreeHome(), env: process.env });
      if (json === true)
        for (const value of loaded.values) console.log(JSON.stringify({ ...value, value: masked(value) }));
      else for (const line of configLines(loaded)) console.log(line);
    });
  // The command above takes --json wherever it is written.
  const isJson = () => config.opts<ConfigCommandOptions>().json === true;
  subcommand(config, 'trust [folder]', {
    description: 'let the configuration of a project folder run code, start programs and widen permissions',
    example: 'singletree config trust .',
  })
    .option('--json', 'print the result as JSON')
    .action((path = '.') => {
      new TrustedFolders(singletreeHome()).add(folder(path));
      console.log(isJson() ? JSON.stringify({ folder: resolve(path), isTrusted: true }) : `Trusted: ${resolve(path)}`);
    });
  subcommand(config, 'untrust [folder]', {
    description: 'take the trust in a project folder back',
    example: 'singletree config untrust .',
  })
    .option('--json', 'print the result as JSON')
    .action((path = '.') => {
      const wasTrusted = new TrustedFolders(singletreeHome()).remove(folder(path));
      if (isJson()) console.log(JSON.stringify({ folder: resolve(path), isTrusted: false, wasTrusted }));
      else console.log(`${wasTrusted ? 'No longer trusted' : 'Was not trusted'}: ${resolve(path)}`);
    });
  subcommand(config, 'schema', {
    description: 'print the JSON Schema of singletree.config.json',
    example: 'singletree config schema > singletree.schema.json',
  })
    .option('--json', 'the default: one JSON value')
    .action(() => console.log(JSON.stringify(configJsonSchema(), undefined, 2)));
}

/** Prints the configuration for people: one line per value, then what waits for trust. */
export function configLines({ files, values, untrusted }: LoadedConfig): string[] {
  const rows = values.map(value => [value.path, JSON.stringify(masked(value)), value.source] as const);
  const widths = [0, 1].map(column => Math.min(48, Math.max(0, ...rows.map(row => row[column as 0 | 1].length))));
  const found =
    files.length === 0
      ? 'none found (singletree.config.mjs or .json, here, above or in SINGLETREE_HOME)'
      : files.join(', ');
  return [
    `files: ${found}`,
    ...rows.map(
      ([path, value, source]) => `${path.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${source}`,
    ),
    ...(untrusted === undefined ? [] : ['', ...untrustedLines(untrusted)]),
  ];
}

/** Describes what a folder would bring if it were trusted. */
export function untrustedLines({ folder: project, file, brings }: UntrustedProject): string[] {
  return [
    `${file} is not trusted yet. It`,
    ...brings.map(sentence => `  - ${sentence}`),
    `To trust it: singletree config trust ${JSON.stringify(project)}`,
  ];
}

/** Asks on the terminal whether to trust a project folder; undefined when nobody can be asked. */
export function trustQuestion(): ((project: UntrustedProject) => Promise<boolean>) | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async project => {
    for (const line of untrustedLines(project).slice(0, -1)) console.error(line);
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return /^y(es)?$/i.test((await terminal.question('Trust this folder? [y/N] ')).trim());
    } finally {
      terminal.close();
    }
  };
}
