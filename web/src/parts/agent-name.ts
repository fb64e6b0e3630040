import type { AgentInfo } from '../../../src/protocols/http-agents.ts';

/** The name of an agent for people; its id when the server does not offer it. */
export function agentName(agents: readonly AgentInfo[], agentId: string | undefined): string {
  if (agentId === undefined) return 'An agent';
  return agents.find(({ id }) => id === agentId)?.name ?? agentId;
}

/** The name of the last agent of a thread; undefined when it had none. */
export function getAgentName(agents: readonly AgentInfo[], { agentId }: { readonly agentId?: string | undefined }) {
  return agentId === undefined ? undefined : agentName(agents, agentId);
}
