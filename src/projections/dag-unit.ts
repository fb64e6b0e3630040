import {
  changeOf,
  getBlock,
  getChunk,
  getMessage,
  getMessageAtBirth,
  getRun,
  isSuperseded,
  textOf,
} from '../graph/conversation/queries.ts';
import type { Conversation } from '../graph/conversation/conversation.ts';

/** What the nodes of a drawing are. */
export type DagTier = 'chunk' | 'block' | 'message';

/** One thing that is drawn. */
export interface DagUnit {
  readonly id: string;
  readonly messageId: string;
  /** For a result: the unit of the call it came from. */
  readonly endOf?: string;
}

/** The kinds of chunks that a drawing leaves out: reports and accounts. */
export const undrawn: ReadonlySet<string> = new Set([
  'usage',
  'tool_start',
  'tool_input_delta',
  'tool_progress',
  'repl_progress',
]);

/** The unit of an id; undefined when it is not drawn, such as reports and accounts. */
export function unitOf(conversation: Conversation, tier: DagTier, id: string): DagUnit | undefined {
  if (tier === 'message') return { id, messageId: id };
  const chunk = tier === 'chunk' ? getChunk(conversation, id) : undefined;
  const block = getBlock(conversation, chunk?.blockId ?? id);
  if (block === undefined || (chunk !== undefined && undrawn.has(chunk.kind))) return undefined;
  const ends = chunk?.kind === 'tool_result' || chunk?.kind === 'repl_output';
  return { id, messageId: block.messageId, ...(ends && chunk.ownerId !== undefined && { endOf: chunk.ownerId }) };
}

/** The id of the unit that a chunk is, or is in. */
export function unitWith(conversation: Conversation, tier: DagTier, chunkId: string): string | undefined {
  if (tier === 'chunk') return chunkId;
  const blockId = getChunk(conversation, chunkId)?.blockId;
  if (tier === 'block' || blockId === undefined) return blockId;
  return getBlock(conversation, blockId)?.messageId;
}

/** What a message followed, or was started by, when it came. */
export function originOf(
  conversation: Conversation,
  tier: DagTier,
  messageId: string,
): { readonly parent?: string | undefined; readonly spawner?: string | undefined } {
  const { parentMessageId: parent, spawnedBy } = getMessageAtBirth(conversation, messageId) ?? {};
  return spawnedBy === undefined ? { parent } : { spawner: unitWith(conversation, tier, spawnedBy) };
}

/** Whether a unit no longer counts, because another attempt took its place. */
export function isGone(conversation: Conversation, tier: DagTier, id: string): boolean {
  if (tier === 'message') return false;
  const chunk = tier === 'chunk' ? getChunk(conversation, id) : undefined;
  if (chunk !== undefined) return isSuperseded(conversation, chunk);
  return getBlock(conversation, id)?.state === 'superseded';
}

const labelLength = 40;
const labels = new WeakMap<object, { readonly change: number; readonly label: string; readonly kind: string }>();

/** What is written on a unit, and what kind it is. */
export function faceOf(conversation: Conversation, tier: DagTier, id: string): { kind: string; label: string } {
  const chunk = tier === 'chunk' ? getChunk(conversation, id) : undefined;
  if (chunk === undefined) {
    const messageId = tier === 'message' ? id : (getBlock(conversation, id)?.messageId ?? id);
    const message = getMessage(conversation, messageId);
    const role = (tier === 'block' ? getBlock(conversation, id)?.role : message?.role) ?? 'assistant';
    const step = tier === 'block' ? getBlock(conversation, id)?.step : undefined;
    const agent = message && getRun(conversation, message.runId)?.agentId;
    return { kind: role, label: step === undefined ? (role === 'user' ? 'user' : (agent ?? role)) : `step ${step}` };
  }
  const change = changeOf(conversation, 'chunk', id);
  const before = labels.get(chunk);
  if (before?.change === change) return { kind: before.kind, label: before.label };
  const { event, kind } = chunk;
  const text = 'content' in event && typeof event.content === 'string' ? textOf(conversation, id) || event.content : '';
  const name = 'name' in event && typeof event.name === 'string' ? event.name : '';
  const label = (text || name || ('message' in event ? event.message : kind)).slice(0, labelLength);
  labels.set(chunk, { change, label, kind });
  return { kind, label };
}
