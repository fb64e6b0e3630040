import type { SentMessage } from './sent-message.ts';

const titleLength = 80;

/** A title for the thread that a message begins: its first words, in one line. */
export function makeTitle(content: SentMessage['content']): string {
  const text = typeof content === 'string' ? content : content.map(part => ('text' in part ? part.text : '')).join(' ');
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const cut = line.slice(0, titleLength).replace(/[\uD800-\uDBFF]$/, '');
  return cut === '' ? 'Conversation' : cut === line ? line : `${cut.trimEnd()}…`;
}
