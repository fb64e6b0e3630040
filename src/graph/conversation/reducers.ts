import { defined } from '../../base/defined.ts';
import { applyEffect, type EffectHandlers, type EventWithEffect } from '../../events/structure.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
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
import { changeRun, messageNamed, ensureRun } from './runs.ts';
import { keepSummary, toSummary } from './summaries.ts';
import { type ConversationDraft, start } from './tables.ts';
import { activate, addMessage, findTip } from './tree.ts';

/** Applies an event to the conversation; ignores unknown types. */
export function applyEvent(draft: ConversationDraft, event: AgentEvent): void {
  applyEffect(on, event, draft);
}

const on: EffectHandlers<ConversationDraft> = {
  'run start': (event, draft) => {
    const { agentId, model, memory, recorded, ts: startedAt } = event;
    const status = recorded === true ? ('interrupted' as const) : undefined;
    const known = defined({ model, memory, startedAt, status });
    changeRun(draft, ensureRun(draft, event), { agentId, ...known });
  },
  'run end': (event, draft) => {
    changeRun(draft, ensureRun(draft, event), {
      status: event.reason ?? 'complete',
      ...defined({ endedAt: event.ts }),
    });
    closeRelays(draft, event.runId);
  },
  run: (event, draft) => void ensureRun(draft, event),
  attempt: beginStep,
  'attempt end': (event, draft) => {
    const { messageId } = ensureRun(draft, event);
    addFact(event, draft, claimNumber(draft, 'chunk', `${event.runId}:usage`));
    const block = currentBlock(draft, messageId);
    if (block?.role === 'assistant' && block.state === 'open') changeBlock(draft, block, { state: 'complete' });
  },
  message: addUser,
  output: (event, draft) => (event.type === 'tool_input_delta' ? addInput(draft, event) : addProse(event, draft)),
  call: (event, draft) => addCall(draft, event),
  'call report': (event, draft) => addToCall(draft, event),
  'call result': (event, draft) => addToCall(draft, event),
  execution: (event, draft) => addExecution(draft, event),
  'execution report': (event, draft) => addPrinted(draft, event),
  'execution result': (event, draft) => addOutput(draft, event),
  question: (event, draft) => addRelay(draft, event),
  answer: (event, draft) => {
    if (!answerRelay(draft, event)) addFact(event, draft, `${event.relayId}:answer`);
  },
  fact: (event, draft) => {
    // What it covers is looked up before it is added.
    const summary = event.type === 'summary' ? toSummary(draft, event) : undefined;
    addFact(event, draft, nameOfFact(event));
    if (event.type === 'summary') keepSummary(draft, event, summary);
  },
  branch: (event, draft) => {
    const message = messageNamed(draft, event.nodeId);
    if (message !== undefined && message.spawnedBy === undefined) activate(draft, message);
  },
  fold: ({ nodeId, collapsed }, draft) => {
    draft.add('collapsed', nodeId, collapsed);
    if (draft.last('message', nodeId) !== undefined) changed(draft, nodeId);
    chunkChanged(draft, nodeId);
  },
  none: () => {},
};

/** Adds a user message to the message of its run, or as a separate message when the run is unknown. */
function addUser(event: EventOf<'user'>, draft: ConversationDraft): void {
  const run = draft.last('run', event.runId);
  const name = `${event.runId}:user`;
  if (run !== undefined) {
    addChunk(draft, openBlock(draft, run.messageId, 'user'), { name, kind: 'user', event });
    return;
  }
  const id = claim(draft, 'message', name);
  addMessage(draft, { id, role: 'user', runId: event.runId, parentMessageId: findPlace(event, draft) });
  addChunk(draft, openBlock(draft, id, 'user'), { name, kind: 'user', event });
}

/** Returns the predecessor of a user message: the one it names, none when it names the beginning, else the newest. */
function findPlace({ parentMessageId }: EventOf<'user'>, draft: ConversationDraft): string | undefined {
  if (parentMessageId === start) return undefined;
  const named = parentMessageId === undefined ? undefined : messageNamed(draft, parentMessageId);
  return named === undefined || named.spawnedBy !== undefined ? findTip(draft) : named.id;
}

/** Starts a block; supersedes an earlier incomplete attempt at the same step. */
function beginStep(event: EventOf<'step_start'>, draft: ConversationDraft): void {
  const run = ensureRun(draft, event);
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

function nameOfFact(event: EventWithEffect<'fact'>): string {
  if (event.type === 'plan_status') return `${event.planId}:${event.to}`;
  if (event.type === 'summary' || event.type === 'file_registered') return event.id;
  return `${event.runId}:${event.type}`;
}

/** Adds a fact: to its run when it has one, else to the newest message. */
function addFact(
  event: AgentEvent & { readonly type: Exclude<ChunkKind, 'run'> },
  draft: ConversationDraft,
  name: string,
): void {
  const messageId = draft.last('run', event.runId)?.messageId ?? findTip(draft) ?? beginning(event, draft);
  addChunk(draft, factBlock(draft, messageId), { name, kind: event.type, event });
  changed(draft, messageId);
}

/** Returns a message for events before the first message. */
function beginning({ runId }: AgentEvent, draft: ConversationDraft): string {
  const id = claim(draft, 'message', `${runId}:beginning`);
  addMessage(draft, { id, role: 'system', runId });
  return id;
}
