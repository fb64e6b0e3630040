import { homedir } from 'node:os';
import type { Command } from 'commander';
import { cliAdapters } from '../agents/cli/adapters/index.ts';
import { abilityList } from '../agents/cli/contract/ability-words.ts';
import type { CliAdapter } from '../agents/cli/contract/cli-adapter.ts';
import { findProgram, type FoundProgram } from '../agents/cli/agent/find-program.ts';
import { listedCommand } from './command-list.ts';
import { standardOutput } from '../control/standard-output.ts';

/** Adds `singletree agents`, which lists the external coding agents and whether they are usable on this machine. */
export function addAgentsCommand(program: Command): void {
  listedCommand(program, 'agents')
    .option('--json', 'print one JSON value per line')
    .action(async ({ json }: { json?: boolean }) => {
      const surroundings = { env: process.env, home: homedir(), timeoutMs: 5_000 };
      const found = await Promise.all(
        Object.values(cliAdapters).map(async known => ({ known, found: await findProgram(known, surroundings) })),
      );
      if (json === true) for (const entry of found) await standardOutput.writeJson(asJson(entry));
      else await standardOutput.write(`${agentTable(found).join('\n')}\n`);
    });
}

interface Entry {
  readonly known: Pick<CliAdapter, 'id' | 'name' | 'install' | 'live'>;
  readonly found: FoundProgram;
}

/** Prints the list for people: one line per program, then how to install missing ones. */
export function agentTable(entries: readonly Entry[]): string[] {
  const rows = entries.map(({ known, found }) => [
    known.id,
    found.path === undefined ? 'not installed' : (found.version ?? 'installed'),
    found.hasCredentials ? 'credentials found' : 'no credentials found',
    known.live?.protocol ?? 'print mode only',
    known.live === undefined ? 'nobody is asked' : ['asks', ...abilityList(known.live.abilities)].join(', '),
  ]);
  const widths = [0, 1, 2, 3].map(column => Math.max(...rows.map(row => (row[column] ?? '').length)));
  const table = rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const missing = entries.filter(({ found }) => found.path === undefined);
  return missing.length === 0
    ? table
    : [...table, '', 'To install:', ...missing.map(({ known }) => `  ${known.name}: ${known.install}`)];
}

function asJson({ known, found }: Entry): object {
  const { id, name, install, live } = known;
  const channel = live === undefined ? {} : { channel: live.protocol, abilities: live.abilities };
  return { id, name, installed: found.path !== undefined, ...found, ...channel, install };
}
