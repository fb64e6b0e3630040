import { SingletreeError } from '../../base/singletree-error.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { getRun } from '../../graph/conversation/queries.ts';
import type { Thread } from '../../log/event-log.ts';
import { openRunsOf } from '../supervision/open-runs.ts';
import { runNotFound } from '../supervision/run-ownership.ts';
import type { OfferedAgents } from './sent-message.ts';

/** Throws `run_not_found` for a subagent that is not open, and `invalid_argument` for one of an external program. */
export function checkStoppable(
  conversation: Conversation,
  runId: string,
  { thread, agents }: { readonly thread: Thread | undefined; readonly agents: OfferedAgents },
): void {
  const open = thread === undefined ? [] : openRunsOf(thread);
  if (getRun(conversation, runId)?.status !== 'running' || open.length === 0) throw runNotFound(runId);
  const owners = open.map(run => agents.get(getRun(conversation, run.runId)?.agentId ?? ''));
  if (owners.some(agent => agent?.abilities?.isExternal !== true)) return;
  throw new SingletreeError(
    'invalid_argument',
    `"${owners[0]?.id}" runs its subagents itself: one of them cannot be stopped alone. Stop the whole run instead.`,
  );
}
