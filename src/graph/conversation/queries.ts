import type { EventOf } from '../../events/index.ts';
import type { Moment } from '../versioned/moment.ts';
import { hadEffect } from './calls.ts';
import { type Conversation, momentOf } from './conversation.ts';
import type { Block, Chunk, Hyperedge, Message, Run, Summary } from './record.ts';
import { messageNamed } from './runs.ts';
import { all, type Tables } from './tables.ts';
import { followersOf } from './tree.ts';

/** The newest values of keys, of those that have one. */
function newest<Name extends keyof Tables>(
  moment: Moment<Tables>,
  table: Name,
  keys: readonly string[],
): Tables[Name][] {
  const values: Tables[Name][] = [];
  for (const key of keys) {
    const value = moment.last(table, key);
    if (value !== undefined) values.push(value);
  }
  return values;
}

/** The message an id means: its own, that of a run, of the start of one, or of a chunk. */
export function getMessage(conversation: Conversation, id: string): Message | undefined {
  return messageNamed(momentOf(conversation), id);
}

/** All messages, subagents' too, in the order in which they came. */
export function getMessages(conversation: Conversation): Message[] {
  const moment = momentOf(conversation);
  return newest(moment, 'message', moment.all('messages', all));
}

/** The blocks of a message from a place on, all when absent, in the order in which they began. */
export function getBlocks(conversation: Conversation, messageId: string, start = 0): Block[] {
  const moment = momentOf(conversation);
  return newest(moment, 'block', moment.from('blocks', messageId, start));
}

/** The chunks of a block, in the order in which they came. */
export function getChunks(conversation: Conversation, blockId: string): Chunk[] {
  const moment = momentOf(conversation);
  return newest(moment, 'chunk', moment.all('chunks', blockId));
}

/** The chunk of an id. */
export function getChunk(conversation: Conversation, id: string): Chunk | undefined {
  return momentOf(conversation).last('chunk', id);
}

/** The text of a chunk that grows: text, reasoning, printed output, arguments being written. */
export function textOf(conversation: Conversation, chunkId: string): string {
  return momentOf(conversation).text(chunkId);
}

/** The chunks of a block that belong to no call or execution, or did not when they came, in the order in which they came. */
export function getHeads(conversation: Conversation, blockId: string): Chunk[] {
  const moment = momentOf(conversation);
  return newest(moment, 'chunk', moment.all('heads', blockId));
}

/** What a call reported, oldest first; of many only the newest. */
export function getReports(conversation: Conversation, callId: string, most: number): Chunk[] {
  const moment = momentOf(conversation);
  const count = moment.count('reports', callId);
  return newest(moment, 'chunk', moment.from('reports', callId, Math.max(0, count - most)));
}

/** What belongs to a call or an execution, but for reports: its start, results, relays, output. */
export function getAttached(conversation: Conversation, chunkId: string): Chunk[] {
  const moment = momentOf(conversation);
  return newest(moment, 'chunk', moment.all('attached', chunkId));
}

/** The messages of the runs that a call or an execution started. */
export function getSpawned(conversation: Conversation, chunkId: string): Message[] {
  const moment = momentOf(conversation);
  return newest(moment, 'message', moment.all('spawned', chunkId));
}

/** The answer to a relay, by the id of its chunk. */
export function getAnswer(conversation: Conversation, relayChunkId: string): EventOf<'relay_resolved'> | undefined {
  return momentOf(conversation).last('answer', relayChunkId);
}

/** What is known about a run. */
export function getRun(conversation: Conversation, runId: string): Run | undefined {
  return momentOf(conversation).last('run', runId);
}

/** A message and its alternatives: those that follow the same message, in the order in which they came. */
export function getSiblings(conversation: Conversation, { id, parentMessageId, spawnedBy }: Message): string[] {
  if (spawnedBy !== undefined) return [id];
  return followersOf(momentOf(conversation), parentMessageId).map(sibling => sibling.id);
}

const changeTables = {
  message: 'changed',
  block: 'blockChanged',
  chunk: 'chunkChanged',
  followers: 'followersChanged',
} as const;

/**
 * A number that is another one after every change in a message, a block or a chunk, or in who follows a message: as
 * long as it is the same, what was made of it can be kept.
 */
export function changeOf(conversation: Conversation, of: keyof typeof changeTables, id: string): number {
  return momentOf(conversation).last(changeTables[of], id) ?? 0;
}

const tierTables = { chunk: 'everyChunk', block: 'everyBlock', message: 'messages' } as const;

/** The ids of all chunks, blocks or messages from a place on, in the order in which they came. */
export function idsFrom(conversation: Conversation, tier: keyof typeof tierTables, start: number): readonly string[] {
  return momentOf(conversation).from(tierTables[tier], all, start);
}

/** The block of an id. */
export function getBlock(conversation: Conversation, id: string): Block | undefined {
  return momentOf(conversation).last('block', id);
}

/** A message as it was when it came: what it followed or was started by may have become clear later. */
export function getMessageAtBirth(conversation: Conversation, id: string): Message | undefined {
  return momentOf(conversation).from('message', id, 0)[0];
}

/** How much of a conversation was looked at: `touchedSince` tells what changed after it. */
export interface Mark {
  readonly in: object;
  readonly touches: number;
  readonly moves: number;
}

/** A mark at what a conversation is now. */
export function markOf(conversation: Conversation): Mark {
  const moment = momentOf(conversation);
  return { in: moment.store, touches: moment.count('touched', all), moves: moment.count('moved', all) };
}

/**
 * The messages on branches that may have changed since the mark, in what they are, not in who follows them; undefined
 * when that cannot be told: the mark is of another line of events, or a message was taken off its branch since.
 */
export function touchedSince(conversation: Conversation, mark: Mark): readonly string[] | undefined {
  const moment = momentOf(conversation);
  if (mark.in !== moment.store || mark.touches > moment.count('touched', all)) return undefined;
  if (mark.moves !== moment.count('moved', all)) return undefined;
  return moment.from('touched', all, Math.max(0, mark.touches - 1));
}

/** How much of a message was looked at: `blocksTouchedSince` says what changed after it. */
export interface MessageMark {
  readonly in: object;
  readonly touches: number;
  readonly standing: number;
}

/** A mark at what a message is now. */
export function markOfMessage(conversation: Conversation, messageId: string): MessageMark {
  const moment = momentOf(conversation);
  const standing = moment.last('standingChanged', messageId) ?? 0;
  return { in: moment.store, touches: moment.count('touchedBlocks', messageId), standing };
}

/** The ids of the blocks of a message that may have changed since the mark; undefined when all of them may have. */
export function blocksTouchedSince(
  conversation: Conversation,
  messageId: string,
  mark: MessageMark,
): readonly string[] | undefined {
  const moment = momentOf(conversation);
  const now = markOfMessage(conversation, messageId);
  if (mark.in !== now.in || mark.touches > now.touches || mark.standing !== now.standing) return undefined;
  return moment.from('touchedBlocks', messageId, Math.max(0, mark.touches - 1));
}

/** The ids of the blocks of a message from a place on, in the order in which they began. */
export function blockIdsFrom(conversation: Conversation, messageId: string, start: number): readonly string[] {
  return momentOf(conversation).from('blocks', messageId, start);
}

/** The summaries, oldest first. */
export function getSummaries(conversation: Conversation): readonly Summary[] {
  return momentOf(conversation).all('summaries', all);
}

/** Whether a person folded (true) or unfolded (false) a message, a call or a summary; undefined when they did neither. */
export function isCollapsed(conversation: Conversation, id: string): boolean | undefined {
  return momentOf(conversation).last('collapsed', id);
}

/** Whether a chunk no longer counts: another attempt at its step took its place, and it had no effect. */
export function isSuperseded(conversation: Conversation, chunk: Chunk): boolean {
  const moment = momentOf(conversation);
  const owner = chunk.ownerId === undefined ? chunk : (moment.last('chunk', chunk.ownerId) ?? chunk);
  if (moment.last('block', owner.blockId)?.state !== 'superseded') return false;
  if (owner.kind === 'tool_call') return !hadEffect(moment, owner.id);
  return owner.kind === 'text' || owner.kind === 'reasoning' || owner.kind === 'tool_input_delta';
}

/** The edges between the tiers: chunk to block, block to message, message to the message it follows. */
export function* hyperedges(conversation: Conversation): Generator<Hyperedge> {
  for (const message of getMessages(conversation)) {
    const { id, parentMessageId } = message;
    if (parentMessageId !== undefined) yield { kind: 'parent_message', from: id, to: parentMessageId };
    for (const block of getBlocks(conversation, id)) {
      yield { kind: 'block_to_message', from: block.id, to: id };
      for (const chunk of getChunks(conversation, block.id))
        yield { kind: 'chunk_to_block', from: chunk.id, to: block.id };
    }
  }
}
