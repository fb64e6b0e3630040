import type { EventOf } from '../../events/vocabulary.ts';
import { addChunk, changeBlock, contentBlock, factBlock, growChunk } from './blocks.ts';
import { chunkChanged } from './changes.ts';
import type { Block, Chunk } from './record.ts';
import { adoptWaiting, changeRun, ensureRun } from './runs.ts';
import { type ConversationDraft, named, none, type Reader } from './tables.ts';

/** Adds the arguments of a call while the model writes them. */
export function addInput(draft: ConversationDraft, event: EventOf<'tool_input_delta'>): void {
  const block = contentBlock(draft, ensureRun(draft, event).messageId);
  const name = `${event.id}:input`;
  const chunk = { name, kind: 'tool_input_delta', event, stream: name, fragment: event.delta } as const;
  const id = growChunk(draft, block, chunk);
  draft.add('named', named('input', event.id, event.runId), id);
}

/** Adds a call to the model's output. */
export function addCall(draft: ConversationDraft, event: EventOf<'tool_call'>): void {
  const block = contentBlock(draft, ensureRun(draft, event).messageId);
  const { id } = addChunk(draft, block, { name: event.id, kind: 'tool_call', event });
  register(draft, 'call', event, id);
  takeInput(draft, event, id);
}

/** Completes a call with the arguments that were streamed. */
function takeInput(draft: ConversationDraft, event: EventOf<'tool_call'>, callId: string): void {
  const key = named('input', event.id, event.runId);
  const input = draft.last('named', key);
  const chunk = input ? draft.last('chunk', input) : undefined;
  if (chunk === undefined) return;
  draft.add('chunk', chunk.id, { ...chunk, ownerId: callId });
  draft.add('attached', callId, chunk.id);
  draft.add('named', key, none);
  chunkChanged(draft, chunk.id);
}

/** Adds an execution. */
export function addExecution(draft: ConversationDraft, event: EventOf<'repl_input'>): void {
  const block = factBlock(draft, ensureRun(draft, event).messageId);
  const { id } = addChunk(draft, block, { name: event.id, kind: 'repl_input', event });
  register(draft, 'execution', event, id);
}

/**
 * Adds the start, the reports and the result of a call; a block whose call has a result is answered, unless the
 * provider executed the call: then the model's output continues after it.
 */
export function addToCall(
  draft: ConversationDraft,
  event: EventOf<'tool_start'> | EventOf<'tool_progress'> | EventOf<'tool_result'>,
): void {
  const run = ensureRun(draft, event);
  if (event.type === 'tool_start' && !run.reportsStart) changeRun(draft, run, { reportsStart: true });
  const callId = event.type === 'tool_progress' ? event.toolCallId : event.id;
  const owner = find(draft, 'call', { id: callId, runId: event.runId });
  const name = event.type === 'tool_progress' ? event.id : `${event.id}:${suffixes[event.type]}`;
  attach(draft, owner, { name, kind: event.type, event });
  const block = owner && draft.last('block', owner.blockId);
  if (event.type !== 'tool_result' || isExecutedByProvider(owner)) return;
  if (block && !block.answered) changeBlock(draft, block, { answered: true });
}

const suffixes = { tool_start: 'start', tool_result: 'result' } as const;

/** Adds the output of an execution. */
export function addPrinted(draft: ConversationDraft, event: EventOf<'repl_progress'>): void {
  const owner = find(draft, 'execution', event);
  const block = ownBlock(draft, event, owner);
  growChunk(draft, block, {
    name: `${event.id}:progress`,
    kind: 'repl_progress',
    event,
    stream: `${event.id}:${event.stream}`,
    fragment: event.chunk,
    ownerId: owner?.id,
  });
}

/** Adds the end of an execution; a second end stands alone. */
export function addOutput(draft: ConversationDraft, event: EventOf<'repl_output'>): void {
  const owner = find(draft, 'execution', event);
  const ended = owner && draft.all('attached', owner.id).some(id => draft.last('chunk', id)?.kind === 'repl_output');
  attach(draft, ended ? undefined : owner, { name: `${event.id}:output`, kind: 'repl_output', event });
}

/** Adds a relay, to the call that waits for it when there is one. */
export function addRelay(draft: ConversationDraft, event: EventOf<'relay'>): void {
  const { runId, toolCallId } = event;
  const owner = toolCallId === undefined ? undefined : find(draft, 'call', { id: toolCallId, runId });
  const { id } = attach(draft, owner, { name: event.id, kind: 'relay', event });
  const before = draft.last('named', named('relay', event.id));
  const answer = before && draft.last('answer', before);
  if (answer) draft.add('answer', id, answer);
  draft.add('named', named('relay', event.id), id);
  draft.add('asked', event.runId, id);
}

/** Marks the unanswered relays of a run as closed. */
export function closeRelays(draft: ConversationDraft, runId: string): void {
  for (const id of draft.all('asked', runId)) if (draft.last('answer', id) === undefined) chunkChanged(draft, id);
}

/**
 * Adds an answer to its relay and returns whether the relay exists; the first answer before the end of its run counts.
 */
export function answerRelay(draft: ConversationDraft, event: EventOf<'relay_resolved'>): boolean {
  const asked = draft.all('named', named('relay', event.relayId));
  for (const id of asked) {
    const runId = draft.last('chunk', id)?.runId ?? '';
    const { status = 'running' } = draft.last('run', runId) ?? {};
    if (status !== 'running' || draft.last('answer', id) !== undefined) continue;
    draft.add('answer', id, event);
    chunkChanged(draft, id);
  }
  return asked.length > 0;
}

/** Drops the calls of a superseded block that had no effect: a later use of their ids means something else. */
export function forgetCalls(draft: ConversationDraft, block: Block): void {
  for (const id of draft.all('chunks', block.id)) {
    const chunk = draft.last('chunk', id);
    if (chunk?.event.type !== 'tool_call' || hadEffect(draft, id)) continue;
    const { event } = chunk;
    for (const key of [named('call', event.id), named('call', event.id, event.runId)])
      if (draft.last('named', key) === id) draft.add('named', key, none);
  }
}

/** Whether a call is executed by the provider of the model, not by the run. */
export function isExecutedByProvider(chunk: Chunk | undefined): boolean {
  return chunk?.event.type === 'tool_call' && chunk.event.executedBy !== undefined;
}

/** Whether a call started or has an outcome; one that the provider executed is only a part of the model's output. */
export function hadEffect(reader: Reader, callId: string): boolean {
  if (isExecutedByProvider(reader.last('chunk', callId))) return false;
  return reader.all('attached', callId).some(id => {
    const kind = reader.last('chunk', id)?.kind;
    return kind === 'tool_start' || kind === 'tool_result';
  });
}

function register(
  draft: ConversationDraft,
  kind: 'call' | 'execution',
  event: { readonly id: string; readonly runId: string },
  chunkId: string,
): void {
  draft.add('named', named(kind, event.id), chunkId);
  draft.add('named', named(kind, event.id, event.runId), chunkId);
  adoptWaiting(draft, event.id, chunkId);
}

/** Returns the newest call or execution of that id: of the run when it has one, else of any. */
function find(
  draft: ConversationDraft,
  kind: 'call' | 'execution',
  { id, runId }: { readonly id: string; readonly runId: string },
): Chunk | undefined {
  const found = draft.last('named', named(kind, id, runId)) || draft.last('named', named(kind, id));
  return found ? draft.last('chunk', found) : undefined;
}

type Attachment = Parameters<typeof addChunk>[2];

function attach(draft: ConversationDraft, owner: Chunk | undefined, chunk: Attachment): Chunk {
  const block = ownBlock(draft, chunk.event, owner);
  const { name, kind, event } = chunk;
  return addChunk(draft, block, { name, kind, event, ownerId: owner?.id });
}

/** Returns the block that an event refers to, or the newest one of its run. */
function ownBlock(draft: ConversationDraft, event: Attachment['event'], owner: Chunk | undefined): Block {
  const block = owner && draft.last('block', owner.blockId);
  return block ?? factBlock(draft, ensureRun(draft, event).messageId);
}
