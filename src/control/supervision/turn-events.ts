import { defined } from '../../base/defined.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { newId } from '../../events/ids.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { editMessage } from '../../graph/conversation/operations.ts';
import { getMessages, getRun } from '../../graph/conversation/queries.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { ThreadMemory } from '../threads/thread-memory.ts';
import type { StartOptions } from './run-control.ts';

/** Returns the event of a person's message; an edit becomes a sibling of the message that it replaces. */
export function userEvent(
  { content, id, by, edits }: Pick<StartOptions, 'content' | 'id' | 'by' | 'edits'>,
  conversation: Conversation,
): EventOf<'user'> {
  const said = { runId: newId(), content: typeof content === 'string' ? content : [...content], ...defined({ by }) };
  const event = edits === undefined ? { type: 'user' as const, ...said } : editMessage(conversation, edits, said);
  return { ...event, ...defined({ id }) };
}

/**
 * The events that end the recorded runs which an import left open, when a person continues its thread for the first time.
 * A thread of our own is not read for it, unless the caller has read it up to `expectedSeq`.
 */
export async function endImportedRuns(
  { log, memory }: { readonly log: EventLog; readonly memory: ThreadMemory },
  threadId: string,
  expectedSeq: number | undefined,
): Promise<EventOf<'harness_end'>[]> {
  const { importedSeq, seq } = (expectedSeq === undefined && (await log.getThread(threadId))) || {};
  if (expectedSeq === undefined && (importedSeq === undefined || importedSeq !== seq)) return [];
  const { conversation, mayBeImporting } = await memory.of(threadId, expectedSeq ?? 0);
  const runs = mayBeImporting ? getMessages(conversation).map(({ runId }) => getRun(conversation, runId)) : [];
  return runs.toReversed().flatMap(run => {
    if (run?.status !== 'interrupted' || run.endedAt !== undefined) return [];
    return [{ type: 'harness_end', runId: run.runId, agentId: run.agentId ?? '', reason: 'interrupted' }];
  });
}

/** The `once` key under which a message with an id of its sender is accepted. */
export function messageKey(id: string): string {
  return `message:${id}`;
}

/** The `once` key under which a waiting message is delivered by the `user` event with its id. */
export function deliveredKey(id: string): string {
  return `delivered:${id}`;
}
