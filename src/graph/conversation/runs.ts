import { placeRun, type RunCause } from '../../events/structure.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { addChunk, claim, factBlock } from './blocks.ts';
import { changed, chunkChanged, standingChanged } from './changes.ts';
import type { Message, Run } from './record.ts';
import { all, type ConversationDraft, named, none, type Reader, start } from './tables.ts';
import { addMessage, moveUnder, findTip } from './tree.ts';

/** Returns the run of an event; its first event places it in the conversation. */
export function ensureRun(draft: ConversationDraft, event: AgentEvent): Run {
  const known = draft.last('run', event.runId);
  if (known !== undefined) return known;
  const { runId, parentId, agentId } = event;
  const run: Run = {
    runId,
    messageId: messageFor(draft, event),
    status: 'running',
    reportsStart: false,
    ...(agentId !== undefined && { agentId }),
    ...(parentId !== undefined && { parentId }),
  };
  draft.add('run', runId, run);
  return run;
}

/** Replaces the record of a run. */
export function changeRun(draft: ConversationDraft, run: Run, change: Partial<Run>): void {
  draft.add('run', run.runId, Object.assign({ ...run }, change));
  if (change.status !== undefined || change.reportsStart !== undefined) standingChanged(draft, run.messageId);
  changed(draft, run.messageId);
}

/** Returns the message of an id: its own, that of a run or of the start of one, or the one that contains a chunk. */
export function messageNamed(reader: Reader, id: string): Message | undefined {
  const message = reader.last('message', id);
  if (message !== undefined) return message;
  const run = reader.last('run', id) ?? reader.last('run', id.replace(/:harness_start$/, ''));
  if (run !== undefined) return reader.last('message', run.messageId);
  const blockId = reader.last('chunk', id)?.blockId;
  const block = blockId === undefined ? undefined : reader.last('block', blockId);
  return block && reader.last('message', block.messageId);
}

/** Moves runs that waited for a call or an execution under it, unless it is nested in one of them. */
export function adoptWaiting(draft: ConversationDraft, eventId: string, chunkId: string): void {
  for (const messageId of draft.all('waiting', eventId)) {
    if (draft.last('message', messageId)?.spawnedBy !== undefined || isInside(draft, chunkId, messageId)) continue;
    moveUnder(draft, messageId, chunkId);
    draft.add('spawned', chunkId, messageId);
    chunkChanged(draft, chunkId);
  }
}

/** Returns the message of a run. */
function messageFor(draft: ConversationDraft, event: AgentEvent): string {
  const { runId, parentId } = event;
  const spawner = parentId === undefined ? undefined : spawnerNamed(draft, parentId);
  const cause = spawner !== undefined || parentId === undefined ? undefined : messageNamed(draft, parentId);
  const kind = spawner === undefined ? causeIn(cause, parentId) : 'call';
  const place = placeRun(event, kind, () => isRunning(draft, findTip(draft)));
  if (place === 'inside newest') return findTip(draft) as string;
  if (place === 'next') {
    const id = add(draft, runId, findTip(draft));
    if (parentId !== undefined) draft.add('waiting', parentId, id);
    return id;
  }
  if (spawner !== undefined) return spawn(draft, runId, spawner);
  const message = cause as Message;
  if (place === 'inside cause') return message.id;
  if (place === 'answer') return reply(draft, runId, message);
  const marker = addChunk(draft, factBlock(draft, message.id), { name: `${runId}:run`, kind: 'run', event });
  return spawn(draft, runId, marker.id);
}

/** Returns the kind of a message that a run names as its cause; a part of a user message is no cause. */
function causeIn(message: Message | undefined, id: string | undefined): RunCause | undefined {
  if (message?.role === 'assistant') return 'run';
  return message?.role === 'user' && message.id === id ? 'user' : undefined;
}

/** Returns the newest call or execution of that id. */
function spawnerNamed(reader: Reader, id: string): string | undefined {
  return reader.last('named', named('call', id)) || reader.last('named', named('execution', id)) || undefined;
}

/** Places a run under the chunk that started it. */
function spawn(draft: ConversationDraft, runId: string, chunkId: string): string {
  const id = claim(draft, 'message', runId);
  addMessage(draft, { id, role: 'assistant', runId, spawnedBy: chunkId });
  draft.add('spawned', chunkId, id);
  return id;
}

/**
 * Places a run that answers a user: the first one follows the newest message, later ones are siblings of the first.
 */
function reply(draft: ConversationDraft, runId: string, asked: Message): string {
  const first = draft.last('firstAnswer', asked.id);
  if (first !== undefined) return add(draft, runId, draft.last('message', first)?.parentMessageId ?? asked.id);
  const tip = findTip(draft);
  const id = add(draft, runId, tip !== undefined && isAfter(draft, tip, asked) ? tip : asked.id);
  draft.add('firstAnswer', asked.id, id);
  return id;
}

function add(draft: ConversationDraft, runId: string, after: string | undefined): string {
  const id = claim(draft, 'message', runId);
  addMessage(draft, { id, role: 'assistant', runId, parentMessageId: after });
  return id;
}

function isRunning(reader: Reader, messageId: string | undefined): boolean {
  const message = reader.last('message', messageId ?? none);
  return message?.role === 'assistant' && reader.last('run', message.runId)?.status === 'running';
}

/** Whether a message is the earlier one or follows it on the same branch. */
function isAfter(reader: Reader, messageId: string, earlier: Message): boolean {
  for (let at = reader.last('message', messageId); at !== undefined && at.order >= earlier.order; ) {
    if (at.id === earlier.id) return true;
    at = reader.last('message', at.parentMessageId ?? start);
  }
  return false;
}

/** Whether a chunk is in a message, or in a run that was started from there. */
function isInside(reader: Reader, chunkId: string, messageId: string): boolean {
  let chunk = reader.last('chunk', chunkId);
  while (chunk !== undefined) {
    const message = messageNamed(reader, reader.last('block', chunk.blockId)?.messageId ?? all);
    if (message?.id === messageId) return true;
    chunk = message?.spawnedBy === undefined ? undefined : reader.last('chunk', message.spawnedBy);
  }
  return false;
}
