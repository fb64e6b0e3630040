import type { Block, Chunk } from './record.ts';
import { all, type ConversationDraft } from './tables.ts';

let count = 0;

/** Returns a number that no change had before. */
export function nextChange(): number {
  return ++count;
}

/** Marks a message, and the message it is nested in, as changed. */
export function changed(draft: ConversationDraft, messageId: string): void {
  count++;
  let id: string | undefined = messageId;
  let outermost = messageId;
  while (id !== undefined) {
    outermost = id;
    draft.add('changed', id, count);
    const spawner: string | undefined = draft.last('message', id)?.spawnedBy;
    const chunk: Chunk | undefined = spawner === undefined ? undefined : draft.last('chunk', spawner);
    if (chunk === undefined) break;
    draft.add('chunkChanged', chunk.id, count);
    id = draft.last('block', chunk.blockId)?.messageId;
    if (id !== undefined) touchBlock(draft, id, chunk.blockId);
  }
  if (draft.last('touched', all) !== outermost) draft.add('touched', all, outermost);
}

/** Marks the followers of a message as changed. */
export function followersChanged(draft: ConversationDraft, messageId: string): void {
  draft.add('followersChanged', messageId, ++count);
}

/** Marks a block and its message as changed. */
export function blockChanged(draft: ConversationDraft, { id, messageId }: Block): void {
  changed(draft, messageId);
  touchBlock(draft, messageId, id);
  draft.add('blockChanged', id, count);
}

/** Marks a chunk and everything that contains it as changed. */
export function chunkChanged(draft: ConversationDraft, chunkId: string): void {
  const chunk = draft.last('chunk', chunkId);
  if (chunk === undefined) return;
  count++;
  draft.add('chunkChanged', chunkId, count);
  if (chunk.ownerId !== undefined) draft.add('chunkChanged', chunk.ownerId, count);
  draft.add('blockChanged', chunk.blockId, count);
  const messageId = draft.last('block', chunk.blockId)?.messageId;
  if (messageId === undefined) return;
  touchBlock(draft, messageId, chunk.blockId);
  changed(draft, messageId);
}

/** Marks the status of every part of a message as possibly changed. */
export function standingChanged(draft: ConversationDraft, messageId: string): void {
  draft.add('standingChanged', messageId, ++count);
}

function touchBlock(draft: ConversationDraft, messageId: string, blockId: string): void {
  if (draft.last('touchedBlocks', messageId) !== blockId) draft.add('touchedBlocks', messageId, blockId);
}
