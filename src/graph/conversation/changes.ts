import type { Block, Chunk } from './record.ts';
import { all, type ConversationDraft } from './tables.ts';

let count = 0;

/** A number that no change had before. */
export function nextChange(): number {
  return ++count;
}

/** Notes that a message is not what it was, and neither is the one that it is inside of. */
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

/** Notes that other messages follow a message. */
export function followersChanged(draft: ConversationDraft, messageId: string): void {
  draft.add('followersChanged', messageId, ++count);
}

/** Notes that a block is not what it was, and neither is its message. */
export function blockChanged(draft: ConversationDraft, { id, messageId }: Block): void {
  changed(draft, messageId);
  touchBlock(draft, messageId, id);
  draft.add('blockChanged', id, count);
}

/** Notes that a chunk is not what it was, and neither is what it belongs to. */
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

/** Notes that every part of a message may have another status. */
export function standingChanged(draft: ConversationDraft, messageId: string): void {
  draft.add('standingChanged', messageId, ++count);
}

function touchBlock(draft: ConversationDraft, messageId: string, blockId: string): void {
  if (draft.last('touchedBlocks', messageId) !== blockId) draft.add('touchedBlocks', messageId, blockId);
}
