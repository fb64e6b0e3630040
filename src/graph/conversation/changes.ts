import type { Block, Chunk } from './record.ts';
import { all, type ConversationDraft } from './tables.ts';

/** Marks a message, and the message it is nested in, as changed. */
export function changed(draft: ConversationDraft, messageId: string): void {
  let id: string | undefined = messageId;
  let outermost = messageId;
  while (id !== undefined) {
    outermost = id;
    draft.set('changed', id, draft.version);
    const spawner: string | undefined = draft.last('message', id)?.spawnedBy;
    const chunk: Chunk | undefined = spawner === undefined ? undefined : draft.last('chunk', spawner);
    if (chunk === undefined) break;
    draft.set('chunkChanged', chunk.id, draft.version);
    id = draft.last('block', chunk.blockId)?.messageId;
    if (id !== undefined) touchBlock(draft, id, chunk.blockId);
  }
  draft.set('touched', all, outermost);
}

/** Marks the followers of a message as changed. */
export function followersChanged(draft: ConversationDraft, messageId: string): void {
  draft.set('followersChanged', messageId, draft.version);
}

/** Marks a block and its message as changed. */
export function blockChanged(draft: ConversationDraft, { id, messageId }: Block): void {
  changed(draft, messageId);
  touchBlock(draft, messageId, id);
  draft.set('blockChanged', id, draft.version);
}

/** Marks a chunk and everything that contains it as changed. */
export function chunkChanged(draft: ConversationDraft, chunkId: string): void {
  const chunk = draft.last('chunk', chunkId);
  if (chunk === undefined) return;
  draft.set('chunkChanged', chunkId, draft.version);
  if (chunk.ownerId !== undefined) draft.set('chunkChanged', chunk.ownerId, draft.version);
  draft.set('blockChanged', chunk.blockId, draft.version);
  const messageId = draft.last('block', chunk.blockId)?.messageId;
  if (messageId === undefined) return;
  touchBlock(draft, messageId, chunk.blockId);
  changed(draft, messageId);
}

/** Marks the status of every part of a message as possibly changed. */
export function standingChanged(draft: ConversationDraft, messageId: string): void {
  draft.set('standingChanged', messageId, draft.version);
}

function touchBlock(draft: ConversationDraft, messageId: string, blockId: string): void {
  draft.set('touchedBlocks', messageId, blockId);
}
