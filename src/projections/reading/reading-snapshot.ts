import type { AgentEvent } from '../../events/index.ts';
import { type Conversation, getMessage, getRun, getTip } from '../../graph/index.ts';
import type { ThreadReadingState, UsageTotal } from './thread-reading.ts';

/**
 * What a reading needs of the events up to a seq at which nothing was open, to begin there: plain data of constant size.
 * The newest snapshot at or before any seq, and the events after it, show the turns after it as the whole log does.
 */
export interface ReadingSnapshot {
  readonly seq: number;
  /** What was used up to it. */
  readonly usage: UsageTotal;
  /** The last turn of the active branch, without its content: the next one follows it. */
  readonly turn: { readonly userRunId: string; readonly runId: string; readonly agentId: string };
}

/** The messages of the turn of a snapshot. */
export function messagesOf({ turn: { userRunId, runId } }: ReadingSnapshot): readonly string[] {
  return [`${userRunId}:user`, runId];
}

/** The turn of a snapshot as events. */
export function eventsOf({ turn: { userRunId, runId, agentId } }: ReadingSnapshot): AgentEvent[] {
  return [
    { type: 'user', runId: userRunId, content: '' },
    { type: 'harness_start', runId, agentId, parentId: `${userRunId}:user` },
    { type: 'harness_end', runId, agentId },
  ];
}

/** The snapshot that an event makes possible: it ends the last turn, and nothing else is open. */
export function snapshotAfter(state: ThreadReadingState, event: AgentEvent): ReadingSnapshot | undefined {
  const { seq, conversation, usage, openRuns, relays } = state;
  if (event.type !== 'harness_end' || openRuns.length > 0 || relays.pending.length > 0) return undefined;
  const answer = getTip(conversation);
  const asked = getMessage(conversation, answer?.parentMessageId ?? '');
  if (answer?.role !== 'assistant' || asked?.role !== 'user') return undefined;
  const { runId } = answer;
  const { agentId } = getRun(conversation, runId) ?? {};
  const turn = { userRunId: asked.runId, runId, agentId: agentId ?? '' };
  const snapshot = { seq, usage, turn };
  const [userId, answerId] = messagesOf(snapshot);
  return agentId !== undefined && asked.id === userId && answer.id === answerId ? snapshot : undefined;
}

/** Whether an event may be about something before the snapshot with these messages, so that it cannot be placed. */
export function reachesBack(before: Conversation, hidden: readonly string[], event: AgentEvent): boolean {
  const isShown = (id: string) => {
    const message = getMessage(before, id);
    return message !== undefined && !hidden.includes(message.id);
  };
  if (event.type === 'branch_selected') return !isShown(event.nodeId);
  if (event.type === 'abort_requested' || event.type === 'steer_requested' || event.type === 'collapsed') return false;
  if (getRun(before, event.runId) !== undefined) return false;
  if (event.type === 'user') {
    const { parentMessageId } = event;
    return parentMessageId !== undefined && parentMessageId !== hidden.at(-1) && !isShown(parentMessageId);
  }
  return event.type !== 'harness_start' || (event.parentId !== undefined && !isShown(event.parentId));
}
