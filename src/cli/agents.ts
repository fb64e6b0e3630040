import { addJsonOption } from './command-options.ts';
import { homedir } from 'node:os';
import type { Command } from 'commander';
import { cliAdapters } from '../agents/cli/adapters/cli-adapters.ts';
import type { LiveAbilities } from '../agents/cli/contract/live-channel.ts';
import type { CliAdapter } from '../agents/cli/contract/cli-adapter.ts';
import { findProgram, type FoundProgram } from '../agents/cli/agent/find-program.ts';
import { listedCommand } from './command-list.ts';
import { type JsonOption, printJson, tableLines } from './print.ts';
import { standardOutput } from '../control/standard-output.ts';

/** Adds `singletree agents`, which lists every agent and whether it is usable here. */
export function addAgentsCommand(program: Command): void {
  addJsonOption(listedCommand(program, 'agents')).action(async ({ json }: JsonOption) => {
    const surroundings = { env: process.env, home: homedir(), timeoutMs: 5_000 };
    const [ours, found] = await Promise.all([
      agentsWithoutProgram(),
      Promise.all(
        Object.values(cliAdapters).map(async known => ({ known, found: await findProgram(known, surroundings) })),
      ),
    ]);
    if (json === true) await printJson([...ours, ...found.map(asJson)]);
    else await standardOutput.write(`${agentTable(found, ours).join('\n')}\n`);
  });
}

/** An agent without an external program. */
interface OurAgent {
  readonly id: string;
  readonly isUsable: boolean;
  readonly detail: string;
}

/** The agents of the configuration, the coding agent and the demo. */
async function agentsWithoutProgram(): Promise<readonly OurAgent[]> {
  const [{ loadSettings }, { configuredRegistry, findModelServers, offeredModels }, { ownAgents }] = await Promise.all([
    import('./settings/settings.ts'),
    import('./coder.ts'),
    import('./agents/own-agents.ts'),
  ]);
  const settings = await loadSettings('.');
  const { config, home } = settings;
  const servers = await findModelServers(home);
  const [model] = offeredModels(config, configuredRegistry(settings, servers), servers);
  return [
    ...ownAgents(config).map(({ id }) => ({ id, isUsable: true, detail: 'of your configuration' })),
    { id: 'coder', isUsable: model !== undefined, detail: model ?? 'set ANTHROPIC_API_KEY or OPENAI_API_KEY' },
    { id: 'demo', isUsable: true, detail: 'scripted, needs no key' },
  ];
}

interface Entry {
  readonly known: Pick<CliAdapter, 'id' | 'name' | 'install' | 'live'>;
  readonly found: FoundProgram;
}

/** Prints the list as text: one line per agent, then how to install missing programs. */
export function agentTable(entries: readonly Entry[], ours: readonly OurAgent[] = []): string[] {
  const table = tableLines([
    ...ours.map(({ id, isUsable, detail }) => [id, isUsable ? 'ready' : 'no model', detail, '', '']),
    ...entries.map(({ known, found }) => [
      known.id,
      found.path === undefined ? 'not installed' : (found.version ?? 'installed'),
      found.hasCredentials ? 'credentials found' : 'no credentials found',
      known.live?.protocol ?? 'print mode only',
      known.live === undefined ? 'nobody is asked' : ['asks', ...abilityList(known.live.abilities)].join(', '),
    ]),
  ]);
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

/** Returns the names of the abilities that go beyond approving and rejecting. */
function abilityList(abilities: LiveAbilities): string[] {
  const { revise, questions, plans, steer, resume, fork } = abilities;
  const words = { revise: revise === 'all', questions, plans, steer: steer === 'joins', resume, fork };
  return Object.entries(words).flatMap(([word, has]) => (has ? [word] : []));
}
