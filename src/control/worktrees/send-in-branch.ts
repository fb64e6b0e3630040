import type { Agent } from '../../agents/contract/agent.ts';
import { defined } from '../../base/defined.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { SentMessage } from '../conversations/sent-message.ts';
import { placeBranch, type WorktreePlace } from './worktree-place.ts';
import type { Worktrees } from './worktrees.ts';

export interface BranchStart {
  readonly log: EventLog;
  readonly conversations: Pick<Conversations, 'start'>;
  /** Where the branch gets a worktree of its own; without it the agent works where the conversation did. */
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
