import { defined } from '../../../base/defined.ts';
import type { ContentPart } from '../../../events/content.ts';
import type { Block, Chunk } from '../../../graph/conversation/record.ts';
import {
  getChange,
  getAnswer,
  getAttached,
  getChunks,
  isSuperseded,
  getChunkText,
} from '../../../graph/conversation/queries.ts';
import type { Conversation } from '../../../graph/conversation/conversation.ts';
import type { HarnessMessageContent } from '../harness-message.ts';
import { memoryWork } from './memory-parts.ts';
import { parseSystemReminder } from '../../conversations/system-reminder.ts';
import { toolOutcome } from './tool-outcome.ts';

const cache = new WeakMap<Block, { readonly change: number; readonly parts: readonly HarnessMessageContent[] }>();

/** Returns the parts of a block in order; cached until the block changes. */
export function blockParts(conversation: Conversation, block: Block): readonly HarnessMessageContent[] {
  const change = getChange(conversation, 'block', block.id);
  const before = cache.get(block);
  if (before?.change === change) return before.parts;
  let isFinal = true;
  const parts = getChunks(conversation, block.id).flatMap(chunk => {
    const work = memoryWork(conversation, chunk);
    // Later work of an observer does not change the block, so a block with active work is not cached.
    if (work?.isRunning === true) isFinal = false;
    return work?.parts ?? buildParts(conversation, block, chunk);
  });
  if (isFinal) cache.set(block, { change, parts });
  return parts;
}

/** Converts user content to message parts. */
export function userParts(content: string | readonly ContentPart[]): HarnessMessageContent[] {
  return typeof content === 'string' ? [textPart(content)] : content.map(userPart);
}

/** Converts content that no person wrote to message parts. */
export function reminderParts(content: string | readonly ContentPart[]): HarnessMessageContent[] {
  return userParts(content).map(part =>
    part.type === 'text' ? { type: 'system_reminder', message: part.text, reminderType: 'subagent' } : part,
  );
}

/** A file of a message. */
export interface HarnessFile {
  /** base64, or a URL. */
  readonly data: string;
  readonly mediaType: string;
  readonly filename?: string;
}

/** Combines a text and files as the log stores them. */
export function userContent(text: string, files: readonly HarnessFile[] = []): string | ContentPart[] {
  if (files.length === 0) return text;
  return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files.map(filePart)];
}

function filePart({ data, mediaType, filename }: HarnessFile): ContentPart {
  if (mediaType.startsWith('image/') && filename === undefined) return { type: 'image', data, mediaType };
  return { type: 'file', data, mediaType, ...defined({ filename }) };
}

function userPart(part: ContentPart): HarnessMessageContent {
  if (part.type === 'text') return textPart(part.text);
  const { data, mediaType } = part;
  if (part.type === 'image') return { type: 'image', data, mimeType: mediaType };
  return { type: 'file', data, mediaType, ...defined({ filename: part.filename }) };
}

function textPart(text: string): HarnessMessageContent {
  const reminder = parseSystemReminder(text);
  return reminder === undefined ? { type: 'text', text } : { type: 'system_reminder', ...reminder };
}

function buildParts(conversation: Conversation, block: Block, chunk: Chunk): HarnessMessageContent[] {
  const { event } = chunk;
  if (block.state === 'superseded' && isSuperseded(conversation, chunk)) return [];
  if (event.type === 'user') return userParts(event.content);
  if (event.type === 'text') return [{ type: 'text', text: getChunkText(conversation, chunk.id) }];
  if (event.type === 'reasoning') return [{ type: 'thinking', thinking: getChunkText(conversation, chunk.id) }];
  if (event.type === 'tool_call') {
    const args = findArgs(conversation, { id: chunk.id, input: event.input });
    return [{ type: 'tool_call', id: event.id, name: event.name, args }];
  }
  if (event.type === 'tool_result')
    return [{ type: 'tool_result', id: event.id, name: event.name, ...toolOutcome(event.output) }];
  return [];
}

/** The arguments a call runs with: a person's revision, else the original input. */
function findArgs(
  conversation: Conversation,
  { id, input }: { readonly id: string; readonly input: unknown },
): unknown {
  for (const { id: chunkId, event } of getAttached(conversation, id)) {
    if (event.type !== 'relay' || event.relayKind !== 'permission') continue;
    const answer = getAnswer(conversation, chunkId);
    if (answer?.outcome === 'revise') return answer.input;
  }
  return input;
}
