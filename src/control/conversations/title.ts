import type { Conversation } from '../../graph/conversation/conversation.ts';
import { getBlocks, getHeads } from '../../graph/conversation/queries.ts';
import type { SentMessage } from './sent-message.ts';

const titleLength = 80;

/** A title for the thread that a message begins: its first words, in one line. */
export function makeTitle(content: SentMessage['content']): string {
  const text = typeof content === 'string' ? content : content.map(part => ('text' in part ? part.text : '')).join(' ');
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const cut = line.slice(0, titleLength).replace(/[\uD800-\uDBFF]$/, '');
  return cut === '' ? 'Conversation' : cut === line ? line : `${cut.trimEnd()}…`;
}

/** Returns the title that a message of a conversation gave it; undefined when it is no message of a person. */
export function titleFrom(conversation: Conversation, messageId: string): string | undefined {
  const [block] = getBlocks(conversation, messageId);
  const [chunk] = block === undefined ? [] : getHeads(conversation, block.id);
  return chunk?.event.type === 'user' ? makeTitle(chunk.event.content) : undefined;
}
