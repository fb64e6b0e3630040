import { defined } from '../../base/defined.ts';
import type { ContentPart } from '../../events/content.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { type Conversation, getSnapshot } from './conversation.ts';
import type { Message, Summary } from './record.ts';
import { messageNamed } from './runs.ts';
import { start } from './tables.ts';

/** Creates the event that adds an alternative to a user message; both remain. */
export function editMessage(
  conversation: Conversation,
  messageId: string,
  edited: { readonly runId: string; readonly content: string | readonly ContentPart[]; readonly by?: string },
): EventOf<'user'> {
  const message = requireMessage(conversation, messageId);
  if (message.role !== 'user') throw notPossible(`"${messageId}" was not said by a person: only that can be edited.`);
  const content = typeof edited.content === 'string' ? edited.content : [...edited.content];
  const { runId, by } = edited;
  return { type: 'user', runId, content, parentMessageId: message.parentMessageId ?? start, ...defined({ by }) };
}

/** Returns the user message that must be the `parentId` of a run that retries an agent's message. */
export function getRetryTarget(conversation: Conversation, messageId: string): string {
  const message = requireMessage(conversation, messageId);
  const cause = message.role === 'user' ? message.id : getSnapshot(conversation).last('run', message.runId)?.parentId;
  const asked = cause === undefined ? undefined : getSnapshot(conversation).last('message', cause);
  if (asked?.role === 'user') return asked.id;
  throw notPossible(`"${messageId}" is no answer to a person: nothing can be asked again.`);
}

/** Creates the event that makes a message the active one of its siblings. */
export function selectMessage(
  conversation: Conversation,
  messageId: string,
  { runId }: { readonly runId: string },
): EventOf<'branch_selected'> {
  return { type: 'branch_selected', runId, nodeId: requireMessage(conversation, messageId).id };
}

/** Creates the event that replaces a span of messages, both ends included, by a summary; the source stays. */
export function summariseSpan(
  conversation: Conversation,
  span: { readonly from: string; readonly to: string },
  summary: { readonly runId: string; readonly id: string; readonly text: string; readonly kind?: Summary['kind'] },
): EventOf<'summary'> {
  const covers = { from: requireMessage(conversation, span.from).id, to: requireMessage(conversation, span.to).id };
  const { runId, id, text, kind = 'compaction' } = summary;
  return { type: 'summary', runId, id, covers, text, kind };
}

/** Creates the event that folds or unfolds a message, a call or a summary; an unfolded summary shows its source. */
export function collapseNode(
  nodeId: string,
  { runId, collapsed }: { readonly runId: string; readonly collapsed: boolean },
): EventOf<'collapsed'> {
  return { type: 'collapsed', runId, nodeId, collapsed };
}

function requireMessage(conversation: Conversation, id: string): Message {
  const message = messageNamed(getSnapshot(conversation), id);
  if (message === undefined) throw notPossible(`There is no message "${id}" in this conversation.`);
  if (message.spawnedBy !== undefined) throw notPossible(`"${id}" is inside of another message, on no branch.`);
  return message;
}

function notPossible(message: string): SingletreeError {
  return new SingletreeError('invalid_argument', message);
}
