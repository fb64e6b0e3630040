import { invalidArgument } from '../base/options/check-options.ts';

/**
 * Throws `invalid_argument` when two agents have the same id. A run is resumed by the agent of its id: with two of them
 * it could continue with the permissions of the other one. `owner` begins the message.
 */
export function checkAgentIds(owner: string, agents: Iterable<{ readonly id: string }>): void {
  const ids = new Set<string>();
  for (const { id: agentId } of agents) {
    if (ids.has(agentId))
      throw invalidArgument(`${owner} has two agents with the id "${agentId}": give each one of its own.`, { agentId });
    ids.add(agentId);
  }
}
