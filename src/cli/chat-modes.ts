import type { Agent } from '../agents/index.ts';
import type { HarnessMode } from '../control/index.ts';

/**
 * Returns the modes of a chat: those of its agent, then each other agent, in its own modes. Switching to one of these
 * continues the thread with that agent.
 */
export function chatModes(main: Agent, others: readonly Agent[]): HarnessMode[] {
  const own = main.modes ?? [];
  const first =
    own.length === 0
      ? [{ id: main.id, name: main.id, agent: main, default: true }]
      : own.map(({ id, name }, index) => ({ id, name, agent: main, default: index === 0 }));
  return [...first, ...others.filter(({ id }) => id !== main.id).flatMap(otherModes)];
}

function otherModes(agent: Agent): HarnessMode[] {
  const [standard, ...more] = agent.modes ?? [];
  return [
    { id: agent.id, name: agent.id, agent: inMode(agent, standard?.id) },
    ...more.map(({ id }) => ({ id: `${agent.id}/${id}`, name: `${agent.id} ${id}`, agent: inMode(agent, id) })),
  ];
}

/** The agent in one of its modes, whatever the mode of the thread is called. */
function inMode(agent: Agent, mode: string | undefined): Agent {
  if (mode === undefined) return agent;
  return { ...agent, invoke: params => agent.invoke({ ...params, mode }) };
}
