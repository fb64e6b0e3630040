import type { Block, Chunk } from './record.ts';
import { all, type ConversationDraft } from './tables.ts';

type ChangeTable = 'changed' | 'blockChanged' | 'chunkChanged' | 'followersChanged' | 'standingChanged';

/** Records the version of this step as the newest change of a key, once. */
function mark(draft: ConversationDraft, table: ChangeTable, key: string): void {
  const { version } = draft;
  if (draft.last(table, key) !== version) draft.add(table, key, version);
}

/** Marks a message, and the message it is nested in, as changed. */
export function changed(draft: ConversationDraft, messageId: string): void {
  let id: string | undefined = messageId;
  let outermost = messageId;
  while (id !== undefined) {
    outermost = id;
    mark(draft, 'changed', id);
    const spawner: string | undefined = draft.last('message', id)?.spawnedBy;
    const chunk: Chunk | undefined = spawner === undefined ? undefined : draft.last('chunk', spawner);
    if (chunk === undefined) break;
    mark(draft, 'chunkChanged', chunk.id);
    id = draft.last('block', chunk.blockId)?.messageId;
    if (id !== undefined) touchBlock(draft, id, chunk.blockId);
  }
  if (draft.last('touched', all) !== outermost) draft.add('touched', all, outermost);
}

/** Marks the followers of a message as changed. */
export function followersChanged(draft: ConversationDraft, messageId: string): void {
  mark(draft, 'followersChanged', messageId);
}

/** Marks a block and its message as changed. */
export function blockChanged(draft: ConversationDraft, { id, messageId }: Block): void {
  changed(draft, messageId);
  touchBlock(draft, messageId, id);
  mark(draft, 'blockChanged', id);
}

/** Marks a chunk and everything that contains it as changed. */
export function chunkChanged(draft: ConversationDraft, chunkId: string): void {
  const chunk = draft.last('chunk', chunkId);
  if (chunk === undefined) return;
  mark(draft, 'chunkChanged', chunkId);
  if (chunk.ownerId !== undefined) mark(draft, 'chunkChanged', chunk.ownerId);
  mark(draft, 'blockChanged', chunk.blockId);
  const messageId = draft.last('block', chunk.blockId)?.messageId;
  if (messageId === undefined) return;
  touchBlock(draft, messageId, chunk.blockId);
  changed(draft, messageId);
}

/** Marks the status of every part of a message as possibly changed. */
export function standingChanged(draft: ConversationDraft, messageId: string): void {
  mark(draft, 'standingChanged', messageId);
}

function touchBlock(draft: ConversationDraft, messageId: string, blockId: string): void {
  if (draft.last('touchedBlocks', messageId) !== blockId) draft.add('touchedBlocks', messageId, blockId);
}
