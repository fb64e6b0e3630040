import type { AgentEvent, EventType } from '../../events/vocabulary.ts';
import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { getChunk, getMessage, getRun } from '../../graph/conversation/queries.ts';
import type { RelayBook } from '../relay-book.ts';

/** The state from which a reading can begin at a seq without the earlier events; `ThreadOutline` creates it. */
export type ReadingSnapshot = OutlineSnapshot;

/** The facts from before the snapshot that a reading began with. */
export interface Before {
  readonly seq: number;
  /** The messages of the snapshot that had ended: they have no parts. */
  readonly hidden: ReadonlySet<string>;
  /** The messages of the snapshot that were open: their earlier parts are not known. */
  readonly cut: ReadonlySet<string>;
  /** The last message of the snapshot. */
  readonly last: string | undefined;
  /** The ids of what ended before it. */
  readonly gone: ReadonlySet<string>;
}

/** Nothing: the reading began with the first event. */
export const nothingBefore: Before = { seq: 0, hidden: new Set(), cut: new Set(), last: undefined, gone: new Set() };

interface State {
  readonly conversation: Conversation;
  readonly relays: RelayBook;
  readonly before: Before;
}

/** Whether an event belongs to the newest message when its run has none. */
const isFact: Readonly<Record<EventType, boolean>> = {
  harness_start: false,
  harness_end: false,
  step_start: false,
  session: false,
  user: false,
  text: false,
  reasoning: false,
  tool_input_delta: false,
  tool_call: false,
  tool_start: false,
  tool_progress: false,
  tool_result: false,
  repl_input: false,
  repl_progress: false,
  repl_output: false,
  relay: false,
  relay_resolved: true,
  plan_status: true,
  tasks: true,
  summary: true,
  usage: false,
  error: true,
  warning: true,
  file_registered: true,
  unknown: true,
  custom: true,
  mode_changed: true,
  model_changed: true,
  folder_changed: true,
  grant_revoked: true,
  branch_selected: false,
  collapsed: true,
  abort_requested: true,
  steer_requested: true,
  model_context: true,
  message_queued: true,
  message_changed: true,
  message_withdrawn: true,
  run_requested: true,
};

/** Whether an event is about something that ended before the reading began, and so changes nothing that is shown. */
export function belongsBefore({ conversation, relays, before: { gone } }: State, event: AgentEvent): boolean {
  if (gone.size === 0) return false;
  if (gone.has(event.runId) && getRun(conversation, event.runId) === undefined) return true;
  const isGone = (id: string | undefined) =>
    id !== undefined && gone.has(id) && getChunk(conversation, id) === undefined;
  switch (event.type) {
    case 'harness_start':
      return isGone(event.parentId) && getMessage(conversation, event.parentId ?? '') === undefined;
    case 'tool_progress':
      return isGone(event.toolCallId);
    case 'tool_start':
    case 'tool_result':
    case 'repl_progress':
    case 'repl_output':
      return isGone(event.id);
    case 'collapsed':
      return isGone(event.nodeId) && getMessage(conversation, event.nodeId) === undefined;
    case 'relay_resolved':
      return isGone(event.relayId) && relays.get(event.relayId) === undefined;
    default:
      return false;
  }
}

/** Whether an event may be about something before the beginning of a reading, so that it cannot be placed. */
export function reachesBack({ conversation, before: { hidden, last } }: State, event: AgentEvent): boolean {
  const named = (id: string) => getMessage(conversation, id);
  const isShown = (id: string) => named(id) !== undefined && !hidden.has(named(id)?.id ?? '');
  if (event.type === 'branch_selected') return !isShown(event.nodeId);
  if (getRun(conversation, event.runId) !== undefined || isFact[event.type as EventType]) return false;
  if (event.type === 'user') {
    const { parentMessageId } = event;
    return parentMessageId !== undefined && !isShown(parentMessageId) && parentMessageId !== last;
  }
  const { parentId } = event;
  if (parentId === undefined) return event.type !== 'harness_start';
  // What a hidden run starts is hidden in it.
  return !isShown(parentId) && parentId !== last && named(parentId)?.role !== 'assistant';
}

/**
 * A hidden message at the beginning, in the place of an earlier one that an event continues: what follows the event is
 * then shown alone, without the branch that it left. Undefined when the event continues none.
 */
export function findOrigin({ conversation }: State, event: AgentEvent): AgentEvent | undefined {
  const id =
    event.type === 'user' ? event.parentMessageId : event.type === 'harness_start' ? event.parentId : undefined;
  if (id === undefined || getMessage(conversation, id) !== undefined) return undefined;
  return { type: 'user', runId: id.replace(/:user$/, ''), content: '', parentMessageId: '' };
}
