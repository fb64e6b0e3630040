import type { Agent } from '../../agents/contract/agent.ts';
import { defined } from '../../base/defined.ts';
import type { ThreadFolder } from '../supervision/run-control.ts';
import { preparedAgent } from './prepared-agent.ts';
import type { WorktreeRecord } from './worktree-record.ts';
import type { Worktrees } from './worktrees.ts';

/** Where a thread works: in a worktree of its own, or in the folder of all with a note that says why. */
export interface WorktreePlace {
  readonly folder?: ThreadFolder;
  readonly worktree?: WorktreeRecord;
  /** The agent with the setup of its worktree. */
  readonly agent?: Agent;
}

export interface PlaceRequest {
  readonly agent: Agent;
  /** The beginning of its branch. */
  readonly branch?: string | undefined;
  /** Whether it begins with the uncommitted changes of the folder. */
  readonly uncommitted?: boolean | undefined;
}

/** Makes a worktree for the agent of a thread. */
export async function makePlace(
  worktrees: Worktrees,
  threadId: string,
  { agent, branch, uncommitted }: PlaceRequest,
): Promise<WorktreePlace> {
  const { folder, setup, environment } = worktrees;
  if (agent.abilities?.usesFolder !== true)
    return { folder: { folder, note: `${agent.id} cannot work in a worktree: it uses its own folder` } };
  const made = await worktrees.create({ threadId, agentId: agent.id, ...defined({ branch, uncommitted }) });
  if ('problem' in made)
    return {
      folder: { folder, note: `${made.problem}: all agents work in the same folder and see each other's changes` },
    };
  const { folder: own, origin, branch: name, head } = made;
  return {
    folder: { folder: own, worktree: { origin, branch: name, head, ...defined({ setup }) } },
    worktree: made,
    ...(setup !== undefined && {
      agent: preparedAgent(agent, { command: setup, folder: own, environment, done: () => worktrees.begin(made) }),
    }),
  };
}
