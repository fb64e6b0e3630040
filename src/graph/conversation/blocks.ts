import type { AgentEvent } from '../../events/vocabulary.ts';
import type { Mutable } from '../../base/mutable.ts';
import { blockChanged, chunkChanged } from './changes.ts';
import type { Block, Chunk, ChunkKind } from './record.ts';
import { all, type ConversationDraft, streamKey } from './tables.ts';

/** Starts a block at the end of a message. */
export function openBlock(draft: ConversationDraft, messageId: string, role: Block['role'], step?: number): Block {
  const id = `${messageId}:block:${draft.count('blocks', messageId) + 1}`;
  const block: Mutable<Block> = { id, messageId, role, state: 'open', answered: false };
  if (step !== undefined) block.step = step;
  draft.add('block', id, block);
  draft.add('blocks', messageId, id);
  draft.add('everyBlock', all, id);
  draft.add('openBlock', messageId, id);
  return block;
}

/** Returns the block for the model's next output; after results it is a new one. */
export function contentBlock(draft: ConversationDraft, messageId: string): Block {
  const block = currentBlock(draft, messageId);
  const goesOn = block?.role === 'assistant' && block.state !== 'superseded' && !block.answered;
  return goesOn ? block : openBlock(draft, messageId, 'assistant');
}

/** Returns the current block of a message for facts that are not model output, or a new one when it has none. */
export function factBlock(draft: ConversationDraft, messageId: string): Block {
  const role = draft.last('message', messageId)?.role ?? 'assistant';
  return currentBlock(draft, messageId) ?? openBlock(draft, messageId, role);
}

/** The newest block of a message. */
export function currentBlock(draft: ConversationDraft, messageId: string): Block | undefined {
  const id = draft.last('openBlock', messageId);
  return id === undefined ? undefined : draft.last('block', id);
}

export interface NewChunk {
  /** The base of its id; a taken one gets the next free number. */
  readonly name: string;
  readonly kind: ChunkKind;
  readonly event: AgentEvent;
  readonly ownerId?: string | undefined;
}

/** Adds a chunk to a block and returns it. Most of a conversation are chunks: fields are not spread here. */
export function addChunk(draft: ConversationDraft, block: Block, { name, kind, event, ownerId }: NewChunk): Chunk {
  const chunk: Mutable<Chunk> = {
    id: claim(draft, 'chunk', name),
    blockId: block.id,
    kind,
    runId: event.runId,
    order: draft.count('everyChunk', all),
    event,
  };
  if (ownerId !== undefined) chunk.ownerId = ownerId;
  draft.add('chunk', chunk.id, chunk);
  draft.add('chunks', block.id, chunk.id);
  draft.add('everyChunk', all, chunk.id);
  if (ownerId === undefined) draft.add('heads', block.id, chunk.id);
  else draft.add(kind === 'tool_progress' ? 'reports' : 'attached', ownerId, chunk.id);
  chunkChanged(draft, chunk.id);
  return chunk;
}

/**
 * Appends a fragment to the newest chunk of its stream in the block when the kind matches, else starts a chunk; returns
 * its id.
 */
export function growChunk(
  draft: ConversationDraft,
  block: Block,
  chunk: NewChunk & { readonly stream: string; readonly fragment: string },
): string {
  const { stream, fragment } = chunk;
  const newest = draft.last('growing', block.id);
  const known = newest?.stream === stream ? newest.chunkId : draft.last('named', streamKey(block.id, stream));
  const goesOn = known !== undefined && draft.last('chunk', known)?.kind === chunk.kind;
  const chunkId = goesOn ? known : addChunk(draft, block, chunk).id;
  if (!goesOn) draft.add('named', streamKey(block.id, stream), chunkId);
  if (newest?.chunkId !== chunkId) draft.add('growing', block.id, { stream, chunkId });
  draft.grow(chunkId, fragment);
  keepMetadata(draft, chunkId, chunk.event);
  if (goesOn) chunkChanged(draft, chunkId);
  return chunkId;
}

/** Replaces a block and marks its message as changed. */
export function changeBlock(draft: ConversationDraft, block: Block, change: Partial<Block>): void {
  draft.add('block', block.id, Object.assign({ ...block }, change));
  blockChanged(draft, block);
}

/** Returns an unused id: the name, or the name with the first free number. */
export function claim(draft: ConversationDraft, tier: 'chunk' | 'message', name: string): string {
  if (draft.last(tier, name) === undefined) return name;
  const key = `${tier}\u0000${name}`;
  let number = draft.count('claims', key) + 2;
  while (draft.last(tier, `${name}#${number}`) !== undefined) number++;
  const id = `${name}#${number}`;
  draft.add('claims', key, id);
  return id;
}

/** Returns an unused id that is always numbered, from 1, as the flat graph numbers its nodes. */
export function claimNumber(draft: ConversationDraft, tier: 'chunk', name: string): string {
  const key = `${tier}\u0000${name}`;
  let number = draft.count('claims', key) + 1;
  while (draft.last(tier, `${name}:${number}`) !== undefined) number++;
  const id = `${name}:${number}`;
  draft.add('claims', key, id);
  return id;
}

function keepMetadata(draft: ConversationDraft, chunkId: string, event: AgentEvent): void {
  if ((event.type !== 'text' && event.type !== 'reasoning') || event.providerMetadata === undefined) return;
  const chunk = draft.last('chunk', chunkId) as Chunk;
  draft.add('chunk', chunkId, { ...chunk, providerMetadata: event.providerMetadata });
}
