import type { EventOf } from '../../events/vocabulary.ts';
import type { Snapshot } from '../versioned/store.ts';
import { hadEffect } from './calls.ts';
import { type Conversation, getSnapshot } from './conversation.ts';
import type { Block, Chunk, Hyperedge, Message, Run, Summary } from './record.ts';
import { messageNamed } from './runs.ts';
import { all, buffered, type Tables } from './tables.ts';
import { listFollowers, readTip } from './tree.ts';

/** Returns the newest values of the keys that have one. */
function newest<Name extends keyof Tables>(
  snapshot: Snapshot<Tables>,
  table: Name,
  keys: readonly string[],
): Tables[Name][] {
  const values: Tables[Name][] = [];
  for (const key of keys) {
    const value = snapshot.last(table, key);
    if (value !== undefined) values.push(value);
  }
  return values;
}

/** Returns the message of an id: its own, that of a run, of the start of one, or of a chunk. */
export function getMessage(conversation: Conversation, id: string): Message | undefined {
  return messageNamed(getSnapshot(conversation), id);
}

/** Returns all messages, including those of subagents, in order of creation. */
export function getMessages(conversation: Conversation): Message[] {
  const snapshot = getSnapshot(conversation);
  return newest(snapshot, 'message', snapshot.all('messages', all));
}

/** Returns the last message of the active branch; undefined when it is empty. */
export function getTip(conversation: Conversation): Message | undefined {
  return readTip(getSnapshot(conversation));
}

/** Returns the blocks of a message from an index, 0 by default, in order of creation. */
export function getBlocks(conversation: Conversation, messageId: string, start = 0): Block[] {
  const snapshot = getSnapshot(conversation);
  return newest(snapshot, 'block', snapshot.from('blocks', messageId, start));
}

/** Returns the chunks of a block, in order of creation. */
export function getChunks(conversation: Conversation, blockId: string): Chunk[] {
  const snapshot = getSnapshot(conversation);
  return newest(snapshot, 'chunk', snapshot.all('chunks', blockId));
}

/** Returns the chunk of an id. */
export function getChunk(conversation: Conversation, id: string): Chunk | undefined {
  return getSnapshot(conversation).last('chunk', id);
}

/** Returns the text of a growing chunk: text, reasoning, printed output, streamed arguments. */
export function getChunkText(conversation: Conversation, chunkId: string): string {
  return getSnapshot(conversation).text(chunkId);
}

/** Returns the chunks of a block that belonged to no call or execution when they were created, in order of creation. */
export function getHeads(conversation: Conversation, blockId: string): Chunk[] {
  const snapshot = getSnapshot(conversation);
  return newest(snapshot, 'chunk', snapshot.all('heads', blockId));
}

/** Returns the reports of a call, oldest first, limited to the newest ones. */
export function getReports(conversation: Conversation, callId: string, most: number): Chunk[] {
  const snapshot = getSnapshot(conversation);
  const count = snapshot.count('reports', callId);
  return newest(snapshot, 'chunk', snapshot.from('reports', callId, Math.max(0, count - most)));
}

/** Returns the chunks of a call or an execution, except reports: its start, results, relays, output. */
export function getAttached(conversation: Conversation, chunkId: string): Chunk[] {
  const snapshot = getSnapshot(conversation);
  return newest(snapshot, 'chunk', snapshot.all('attached', chunkId));
}

/** Returns the messages of the runs that a call or an execution started. */
export function getSpawned(conversation: Conversation, chunkId: string): Message[] {
  const snapshot = getSnapshot(conversation);
  return newest(snapshot, 'message', snapshot.all('spawned', chunkId));
}

/** Returns the answer to a relay, by the id of its chunk. */
export function getAnswer(conversation: Conversation, relayChunkId: string): EventOf<'relay_resolved'> | undefined {
  return getSnapshot(conversation).last('answer', relayChunkId);
}

/** Returns the record of a run. */
export function getRun(conversation: Conversation, runId: string): Run | undefined {
  return getSnapshot(conversation).last('run', runId);
}

/** Returns the messages after one, or the first ones for the empty id, from an index on, in order of creation. */
export function getFollowers(conversation: Conversation, messageId: string, from: number = 0): readonly string[] {
  const snapshot = getSnapshot(conversation);
  if (snapshot.count('moved', all) === 0) return snapshot.from('followers', messageId, from);
  const followers = listFollowers(snapshot, messageId === '' ? undefined : messageId);
  return followers.slice(from).map(({ id }) => id);
}

/** Returns a message and its siblings, in order of creation. */
export function getSiblings(conversation: Conversation, { id, parentMessageId, spawnedBy }: Message): string[] {
  return spawnedBy === undefined ? [...getFollowers(conversation, parentMessageId ?? '')] : [id];
}

const changeTables = {
  message: 'changed',
  block: 'blockChanged',
  chunk: 'chunkChanged',
  followers: 'followersChanged',
} as const;

/**
 * Returns a number that changes with every change of a message, a block or a chunk, or of the followers of a message:
 * results derived from it stay valid while it is the same.
 */
export function getChange(conversation: Conversation, of: keyof typeof changeTables, id: string): number {
  return getSnapshot(conversation).last(changeTables[of], id) ?? 0;
}

const tierTables = { chunk: 'everyChunk', block: 'everyBlock', message: 'messages' } as const;

/** Returns the ids of all chunks, blocks or messages from an index on, in order of creation. */
export function idsFrom(conversation: Conversation, tier: keyof typeof tierTables, start: number): readonly string[] {
  return getSnapshot(conversation).from(tierTables[tier], all, start);
}

/** Returns the block of an id. */
export function getBlock(conversation: Conversation, id: string): Block | undefined {
  return getSnapshot(conversation).last('block', id);
}

/** Returns a message as it was created: its predecessor or cause may have become known later. */
export function getMessageAtBirth(conversation: Conversation, id: string): Message | undefined {
  return getSnapshot(conversation).from('message', id, 0)[0];
}

/** A mark in a conversation: `touchedSince` returns the changes after it. */
export interface Mark {
  readonly in: object;
  readonly touches: number;
  readonly moves: number;
}

/** Returns a mark at the current state of a conversation. */
export function getMark(conversation: Conversation): Mark {
  const snapshot = getSnapshot(conversation);
  return { in: snapshot.store, touches: snapshot.count('touched', all), moves: snapshot.count('moved', all) };
}

/**
 * Returns the messages on branches that may have changed since the mark, or got another follower; the empty id stands for
 * the place before the first messages. Undefined when that is unknown: the mark belongs to another line of events, or a
 * message was moved off its branch since.
 */
export function touchedSince(conversation: Conversation, mark: Mark): readonly string[] | undefined {
  const snapshot = getSnapshot(conversation);
  if (mark.in !== snapshot.store || mark.touches > snapshot.count('touched', all)) return undefined;
  if (mark.moves !== snapshot.count('moved', all)) return undefined;
  return snapshot.from('touched', all, Math.max(0, mark.touches - 1));
}

/** A mark in a message: `blocksTouchedSince` returns the changes after it. */
export interface MessageMark {
  readonly in: object;
  readonly touches: number;
  readonly standing: number;
}

/** Returns a mark at the current state of a message. */
export function markOfMessage(conversation: Conversation, messageId: string): MessageMark {
  const snapshot = getSnapshot(conversation);
  const standing = snapshot.last('standingChanged', messageId) ?? 0;
  return { in: snapshot.store, touches: snapshot.count('touchedBlocks', messageId), standing };
}

/**
 * Returns the ids of the blocks of a message that may have changed since the mark; undefined when all of them may have.
 */
export function blocksTouchedSince(
  conversation: Conversation,
  messageId: string,
  mark: MessageMark,
): readonly string[] | undefined {
  const snapshot = getSnapshot(conversation);
  const now = markOfMessage(conversation, messageId);
  if (mark.in !== now.in || mark.touches > now.touches || mark.standing !== now.standing) return undefined;
  return snapshot.from('touchedBlocks', messageId, Math.max(0, mark.touches - 1));
}

/** Returns the ids of the blocks of a message from an index on, in order of creation. */
export function blockIdsFrom(conversation: Conversation, messageId: string, start: number): readonly string[] {
  return getSnapshot(conversation).from('blocks', messageId, start);
}

/** Returns the summaries in effect, oldest first. */
export function getSummaries(conversation: Conversation): readonly Summary[] {
  return getSnapshot(conversation).all('summaries', all);
}

/** Returns the buffered summaries that no later one activated, oldest first. */
export function getBufferedSummaries(conversation: Conversation): readonly Summary[] {
  const snapshot = getSnapshot(conversation);
  return snapshot.all('summaries', buffered).filter(({ id }) => snapshot.last('activated', id) !== true);
}

/** Returns the buffered summaries whose covered part starts with this node, activated or not; oldest first. */
export function getBufferedFrom(conversation: Conversation, from: string): readonly Summary[] {
  return getSnapshot(conversation).all('bufferedFrom', from);
}

/** Whether a user folded (true) or unfolded (false) a message, a call or a summary; undefined when neither. */
export function isCollapsed(conversation: Conversation, id: string): boolean | undefined {
  return getSnapshot(conversation).last('collapsed', id);
}

/** Whether a chunk is superseded: another attempt at its step replaced it, and it had no effect. */
export function isSuperseded(conversation: Conversation, chunk: Chunk): boolean {
  const snapshot = getSnapshot(conversation);
  const owner = chunk.ownerId === undefined ? chunk : (snapshot.last('chunk', chunk.ownerId) ?? chunk);
  if (snapshot.last('block', owner.blockId)?.state !== 'superseded') return false;
  if (owner.kind === 'tool_call') return !hadEffect(snapshot, owner.id);
  return owner.kind === 'text' || owner.kind === 'reasoning' || owner.kind === 'tool_input_delta';
}

/** Returns the edges between the tiers: chunk to block, block to message, message to its predecessor. */
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
