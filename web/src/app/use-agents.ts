import { useCallback, useEffect, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import type { Projects } from '../projects/use-projects.ts';

interface AgentsPlace {
  readonly client: Client;
  readonly projects: Projects | undefined;
  /** The conversation that is open. */
  readonly thread: ThreadInfo | undefined;
  readonly isLive: boolean;
}

/** Returns the agents of the project of the open conversation, else of the chosen one; undefined until they are loaded. */
export function useAgents({ client, projects, thread, isLive }: AgentsPlace) {
  const [agents, setAgents] = useState<readonly AgentInfo[]>();
  const [asked, setAsked] = useState(0);
  const own = thread?.project ?? thread?.folder;
  const folder = projects?.list.find(each => each.folder === own)?.folder ?? projects?.current?.folder;
  const isUntrusted = projects?.current?.trust !== undefined;
  const endedAt = thread?.status === 'running' ? undefined : thread?.seq;
  useEffect(() => {
    // Also when the connection is back, as the server may have other agents, and when a run ends: programs report commands.
    client.listAgents({ folder }).then(setAgents, () => setAgents(before => before ?? []));
  }, [client, isLive, folder, isUntrusted, endedAt, asked]);
  return { agents, reload: useCallback(() => setAsked(before => before + 1), []) };
}
