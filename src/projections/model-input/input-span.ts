import type { Block, Summary } from '../../graph/conversation/record.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { getBlock, getChunks } from '../../graph/conversation/queries.ts';
import type { Message } from '../message.ts';

/** A piece of what a model is sent, which the log can name: a block, or a summary in effect. */
export interface InputSpan {
  /** Names it in the `covers` of a summary; the same in the run that made it and in every later one. */
  readonly name: string;
  /** Its own messages, before they are joined with others. */
  readonly messages: readonly Message[];
  /** When it began, as far as the log states it. */
  readonly ts?: string;
  /** The block it is; absent for a summary. */
  readonly block?: Block;
  readonly summary?: Summary;
}

const spokenKinds: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call', 'user']);

/** Names a block by its last spoken chunk; returns undefined when it has none. */
export function namedBlock(conversation: Conversation, blockId: string): Omit<InputSpan, 'messages'> | undefined {
  const block = getBlock(conversation, blockId);
  const chunks = getChunks(conversation, blockId).filter(({ kind }) => spokenKinds.has(kind));
  const last = chunks.at(-1);
  const ts = chunks[0]?.event.ts;
  return block === undefined || last === undefined
    ? undefined
    : { name: last.id, block, ...(ts !== undefined && { ts }) };
}
