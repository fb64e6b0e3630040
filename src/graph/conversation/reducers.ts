import { defined } from '../../base/defined.ts';
import { type AgentEvent, type EventOf, type Handlers, isKnownEvent } from '../../events/vocabulary.ts';
import { replacesAttempt } from '../../events/attempt.ts';
import { addChunk, changeBlock, claim, claimNumber, currentBlock, factBlock, openBlock } from './blocks.ts';
import {
  addCall,
  addExecution,
  addInput,
  addOutput,
  addPrinted,
  addRelay,
  addToCall,
  answerRelay,
  closeRelays,
  forgetCalls,
} from './calls.ts';
import { changed, chunkChanged } from './changes.ts';
import { addProse } from './prose.ts';
import type { ChunkKind } from './record.ts';
import { changeRun, messageNamed, runOf } from './runs.ts';
import { summaryOf } from './summaries.ts';
import { all, buffered, type ConversationDraft, start } from './tables.ts';
import { activate, addMessage, tipOf } from './tree.ts';

/** Applies an event to the conversation; ignores unknown types. */
export function applyEvent(draft: ConversationDraft, event: AgentEvent): void {
  if (isKnownEvent(event)) (on[event.type] as (event: AgentEvent, draft: ConversationDraft) => void)(event, draft);
}

const on: Handlers<[ConversationDraft], void> = {
  harness_start: (event, draft) => {
    const { agentId, model, memory, recorded, ts: startedAt } = event;
    const status = recorded === true ? ('interrupted' as const) : undefined;
    const known = defined({ model, memory, startedAt, status });
    changeRun(draft, runOf(draft, event), { agentId, ...known });
  },
  harness_end: (event, draft) => {
    changeRun(draft, runOf(draft, event), { status: event.reason ?? 'complete', ...defined({ endedAt: event.ts }) });
    closeRelays(draft, event.runId);
  },
  step_start: beginStep,
  session: (event, draft) => void runOf(draft, event),
  user: addUser,
  text: addProse,
  reasoning: addProse,
  tool_input_delta: (event, draft) => addInput(draft, event),
  tool_call: (event, draft) => addCall(draft, event),
  tool_start: (event, draft) => addToCall(draft, event),
  tool_progress: (event, draft) => addToCall(draft, event),
  tool_result: (event, draft) => addToCall(draft, event),
  repl_input: (event, draft) => addExecution(draft, event),
  repl_progress: (event, draft) => addPrinted(draft, event),
  repl_output: (event, draft) => addOutput(draft, event),
  relay: (event, draft) => addRelay(draft, event),
  relay_resolved: (event, draft) => {
    if (!answerRelay(draft, event)) addFact(event, draft, `${event.relayId}:answer`);
  },
  plan_status: (event, draft) => addFact(event, draft, `${event.planId}:${event.to}`),
  tasks: (event, draft) => addFact(event, draft),
  summary: (event, draft) => {
    const summary = summaryOf(draft, event);
    addFact(event, draft, event.id);
    for (const id of event.activates ?? []) draft.add('activated', id, true);
    if (summary === undefined) return;
    draft.add('summaries', event.active === false ? buffered : all, summary);
    draft.add('summaries', event.id, summary);
    if (event.active === false) draft.add('bufferedFrom', event.covers.from, summary);
  },
  usage: (event, draft) => {
    const { messageId } = runOf(draft, event);
    addFact(event, draft, claimNumber(draft, 'chunk', `${event.runId}:usage`));
    const block = currentBlock(draft, messageId);
    if (block?.role === 'assistant' && block.state === 'open') changeBlock(draft, block, { state: 'complete' });
  },
  error: (event, draft) => addFact(event, draft),
  warning: (event, draft) => addFact(event, draft),
  file_registered: (event, draft) => addFact(event, draft, event.id),
  unknown: (event, draft) => addFact(event, draft),
  custom: (event, draft) => addFact(event, draft),
  mode_changed: (event, draft) => addFact(event, draft),
  model_changed: (event, draft) => addFact(event, draft),
  folder_changed: (event, draft) => addFact(event, draft),
  grant_revoked: (event, draft) => addFact(event, draft),
  branch_selected: (event, draft) => {
    const message = messageNamed(draft, event.nodeId);
    if (message !== undefined && message.spawnedBy === undefined) activate(draft, message);
  },
  collapsed: ({ nodeId, collapsed }, draft) => {
    draft.add('collapsed', nodeId, collapsed);
    if (draft.last('message', nodeId) !== undefined) changed(draft, nodeId);
    chunkChanged(draft, nodeId);
  },
  abort_requested: () => {},
  steer_requested: () => {},
  model_context: () => {},
  message_queued: () => {},
  message_changed: () => {},
  message_withdrawn: () => {},
  run_requested: () => {},
};

/** Adds a user message: to a running run as a part of it, else as a message of its own. */
function addUser(event: EventOf<'user'>, draft: ConversationDraft): void {
  const run = draft.last('run', event.runId);
  const name = `${event.runId}:user`;
  if (run !== undefined) {
    addChunk(draft, openBlock(draft, run.messageId, 'user'), { name, kind: 'user', event });
    return;
  }
  const id = claim(draft, 'message', name);
  addMessage(draft, { id, role: 'user', runId: event.runId, parentMessageId: placeOf(event, draft) });
  addChunk(draft, openBlock(draft, id, 'user'), { name, kind: 'user', event });
}

/** Returns the predecessor of a user message: the one it names, none when it names the beginning, else the newest. */
function placeOf({ parentMessageId }: EventOf<'user'>, draft: ConversationDraft): string | undefined {
  if (parentMessageId === start) return undefined;
  const named = parentMessageId === undefined ? undefined : messageNamed(draft, parentMessageId);
  return named === undefined || named.spawnedBy !== undefined ? tipOf(draft) : named.id;
}

/** Starts a block; supersedes an earlier incomplete attempt at the same step. */
function beginStep(event: EventOf<'step_start'>, draft: ConversationDraft): void {
  const run = runOf(draft, event);
  const { step, model } = event;
  const attempt = draft.last('attempt', run.runId);
  const before = attempt === undefined ? undefined : draft.last('block', attempt);
  const isComplete = before?.state !== 'open';
  if (before !== undefined && replacesAttempt({ step: before.step, isComplete }, step)) {
    changeBlock(draft, before, { state: 'superseded' });
    forgetCalls(draft, before);
    for (const id of draft.all('chunks', before.id)) chunkChanged(draft, id);
  }
  draft.add('attempt', run.runId, openBlock(draft, run.messageId, 'assistant', step).id);
  changeRun(draft, run, { step, ...(model !== undefined && { model }) });
}

/** Adds a fact: to its run when it has one, else to the newest message. */
function addFact(
  event: AgentEvent & { readonly type: Exclude<ChunkKind, 'run'> },
  draft: ConversationDraft,
  name = `${event.runId}:${event.type}`,
): void {
  const messageId = draft.last('run', event.runId)?.messageId ?? tipOf(draft) ?? beginning(event, draft);
  addChunk(draft, factBlock(draft, messageId), { name, kind: event.type, event });
  changed(draft, messageId);
}

/** Returns a message for events before the first message. */
function beginning({ runId }: AgentEvent, draft: ConversationDraft): string {
  const id = claim(draft, 'message', `${runId}:beginning`);
  addMessage(draft, { id, role: 'system', runId });
  return id;
}
