import type { Agent } from '../../agents/contract/agent.ts';
import { defined } from '../../base/defined.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { SentMessage } from '../conversations/sent-message.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { makePlace, type WorktreePlace } from './comparison.ts';
import type { Worktrees } from './worktrees.ts';

export interface BranchStart {
  readonly log: EventLog;
  readonly conversations: Pick<Conversations, 'start'>;
  /** Creates the worktree of the branch; without it the agent works in the folder of the conversation. */
  readonly worktrees: Worktrees | undefined;
}

/**
 * Continues a new branch with a message. When that cannot start, the branch and its worktree are removed. Throws
 * `worktree_unavailable` when it cannot have a worktree.
 */
export async function sendInBranch(
  { log, conversations, worktrees }: BranchStart,
  threadId: string,
  { agent, message }: { readonly agent: Agent; readonly message: SentMessage },
): Promise<void> {
  const place: WorktreePlace = worktrees === undefined ? {} : await placeBranch({ log, worktrees }, threadId, agent);
  try {
    const { folder, agent: prepared } = place;
    await conversations.start(threadId, { ...message, agent: agent.id }, defined({ folder, agent: prepared }));
  } catch (error) {
    if (place.worktree !== undefined) await worktrees?.remove(place.worktree);
    await log.deleteThread(threadId);
    throw error;
  }
}

/** Makes the worktree of a new branch; deletes the branch and throws `worktree_unavailable` when it cannot have one. */
export async function placeBranch(
  { log, worktrees }: { readonly log: EventLog; readonly worktrees: Worktrees },
  threadId: string,
  agent: Agent,
): Promise<WorktreePlace> {
  const place = await makePlace(worktrees, threadId, { agent });
  if (place.worktree !== undefined) return place;
  await log.deleteThread(threadId);
  throw new SingletreeError('worktree_unavailable', `No worktree was made: ${place.folder?.note}.`);
}
