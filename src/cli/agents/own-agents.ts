import type { Agent } from '../../agents/contract/agent.ts';
import { cliAdapters } from '../../agents/cli/adapters/cli-adapters.ts';
import type { CliAdapter } from '../../agents/cli/contract/cli-adapter.ts';
import { isInstalled } from '../../agents/cli/agent/find-program.ts';
import type { Config } from '../../config/config-schema.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

/** The ids of the agents that need no configuration, whether they can be used here or not. */
export const builtInIds: readonly string[] = ['coder', ...Object.keys(cliAdapters), 'acp', 'demo'];

/** Returns the agents of a configuration; throws `invalid_config` for one with the id of a built-in agent. */
export function ownAgents({ agents = [] }: Config): readonly Agent[] {
  const taken = agents.find(({ id }) => builtInIds.includes(id));
  if (taken === undefined) return agents;
  throw new SingletreeError(
    'invalid_config',
    `The agent "${taken.id}" of your configuration has the id of a built-in agent: give it one of its own.`,
    { details: { agentId: taken.id } },
  );
}

/** Returns the external agents whose programs are installed. */
export async function findInstalledAdapters(): Promise<readonly CliAdapter[]> {
  const all = Object.values(cliAdapters);
  const found = await Promise.all(all.map(adapter => isInstalled(adapter, process.env)));
  return all.filter((_, at) => found[at]);
}
