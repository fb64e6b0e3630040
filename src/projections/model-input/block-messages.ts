import type { EventOf } from '../../events/vocabulary.ts';
import { type ToolOutput, toToolOutput } from '../../events/tools.ts';
import type { Block, Chunk } from '../../graph/conversation/record.ts';
import { getChange, getAttached, getChunks, isSuperseded, getChunkText } from '../../graph/conversation/queries.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import type { AssistantPart, Message, ToolResultPart } from '../message.ts';
import { shortenOutput } from '../shorten-output.ts';
import { fitMessage } from './history.ts';

const outcomeUnknown = 'The outcome of this call is unknown: it was started, but its result was never recorded.';
const noResult = 'This call has no result: the run ended before there was one.';

/** A call on the branch. */
export type Call = Chunk & { readonly event: EventOf<'tool_call'> };

export interface BlockContext {
  /** The id a provider is sent for a call. */
  readonly idOf: (call: Call) => string;
  readonly maxOutputLength: number;
}

/** The calls of a block that count. */
export function callsIn(conversation: Conversation, block: Block): Call[] {
  if (block.role !== 'assistant') return [];
  const calls = getChunks(conversation, block.id).filter(isCall);
  return block.state === 'superseded' ? calls.filter(call => !isSuperseded(conversation, call)) : calls;
}

const kept = new WeakMap<Block, { change: number; ids: string; max: number; messages: readonly Message[] }>();

/** The messages of a block, fit for every provider; the same objects as long as the block does not change. */
export function blockMessages(
  conversation: Conversation,
  block: Block,
  calls: readonly Call[],
  context: BlockContext,
): readonly Message[] {
  const change = getChange(conversation, 'block', block.id);
  const ids = calls.map(context.idOf).join(' ');
  const max = context.maxOutputLength;
  const before = kept.get(block);
  if (before?.change === change && before.ids === ids && before.max === max) return before.messages;
  const made = block.role === 'assistant' ? answer(conversation, block, context) : userMessages(conversation, block);
  const messages = made.flatMap(message => fitMessage(message) ?? []);
  kept.set(block, { change, ids, max, messages });
  return messages;
}

/** Returns the user messages of a block. */
function userMessages(conversation: Conversation, block: Block): Message[] {
  return getChunks(conversation, block.id).flatMap(({ event }): Message[] =>
    event.type === 'user' ? [{ role: 'user', content: event.content }] : [],
  );
}

/**
 * Returns the text and calls of a model in a block, then a result for each call; a missing result is stated as missing.
 * Reasoning of a model call that was cut off is omitted: no provider accepts it.
 */
function answer(conversation: Conversation, block: Block, context: BlockContext): Message[] {
  const content: AssistantPart[] = [];
  const results: ToolResultPart[] = [];
  for (const chunk of getChunks(conversation, block.id)) {
    if (block.state === 'superseded' && isSuperseded(conversation, chunk)) continue;
    if (chunk.kind === 'text' || chunk.kind === 'reasoning') content.push(...prose(conversation, chunk, block));
    else if (isCall(chunk)) {
      const { name, input, executedBy, providerMetadata } = chunk.event;
      const id = context.idOf(chunk);
      const metadata = providerMetadata && { providerMetadata };
      if (executedBy !== undefined) {
        const result = executedResult(conversation, chunk, id);
        if (result !== undefined) content.push({ type: 'tool_call', id, name, input, executedBy, ...metadata }, result);
        continue;
      }
      content.push({ type: 'tool_call', id, name, input, ...metadata });
      const output = shortenOutput(getOutcome(conversation, chunk), context.maxOutputLength);
      results.push({ type: 'tool_result', id, name, output });
    }
  }
  const message: Message = { role: 'assistant', content };
  return results.length === 0 ? [message] : [message, { role: 'tool', content: results }];
}

function isCall(chunk: Chunk): chunk is Call {
  return chunk.event.type === 'tool_call';
}

function prose(conversation: Conversation, { id, kind, providerMetadata }: Chunk, block: Block): AssistantPart[] {
  const text = getChunkText(conversation, id);
  const metadata = providerMetadata && block.state === 'complete' && { providerMetadata };
  if (kind === 'text') return [{ type: 'text', text, ...metadata }];
  if (block.state !== 'complete' || (text === '' && providerMetadata === undefined)) return [];
  return [{ type: 'reasoning', text, ...metadata }];
}

/** Returns the unchanged result of a call that the provider executed; undefined while it has none. */
function executedResult(conversation: Conversation, call: Call, id: string): ToolResultPart | undefined {
  const { name, executedBy } = call.event;
  const result = findResult(conversation, call);
  if (result === undefined || executedBy === undefined) return undefined;
  const { providerMetadata } = result;
  const output = toToolOutput(result.output);
  return { type: 'tool_result', id, name, output, executedBy, ...(providerMetadata && { providerMetadata }) };
}

function findResult(conversation: Conversation, call: Call): EventOf<'tool_result'> | undefined {
  return getAttached(conversation, call.id).flatMap(({ event }) => (event.type === 'tool_result' ? [event] : []))[0];
}

function getOutcome(conversation: Conversation, call: Call): ToolOutput {
  const result = findResult(conversation, call);
  if (result !== undefined) return toToolOutput(result.output);
  const attached = getAttached(conversation, call.id);
  return { error: attached.some(chunk => chunk.kind === 'tool_start') ? outcomeUnknown : noResult };
}
