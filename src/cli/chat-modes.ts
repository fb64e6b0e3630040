import type { Agent } from '../agents/index.ts';
import type { HarnessMode } from '../control/index.ts';

/** Returns the modes of a chat with an agent: those of the agent, or the agent itself when it has none. */
export function chatModes(agent: Agent): HarnessMode[] {
  const { id, modes = [] } = agent;
  if (modes.length === 0) return [{ id, name: id, agent, default: true }];
  return modes.map((mode, index) => ({ id: mode.id, name: mode.name, agent, default: index === 0 }));
}
