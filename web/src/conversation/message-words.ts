import type { ContentPart } from '../../../src/events/content.ts';
import type { MessageBody } from '../../../src/protocols/http-api.ts';

/** The content of a user message. */
export type Content = string | readonly ContentPart[];

/** Returns the text of a message; names other content. */
export function messageText({ content }: { content: Content }): string {
  if (typeof content === 'string') return content;
  return content
    .map(part => (part.type === 'text' ? part.text : part.type === 'file' ? `[${part.filename ?? 'file'}]` : '[image]'))
    .join('\n');
}

/** Returns the text of a message without other content. */
export function toWords(content: Content): string {
  if (typeof content === 'string') return content;
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Returns the content with another text; images and files stay. */
export function withWords(content: Content, text: string): MessageBody['content'] {
  if (typeof content === 'string') return text;
  return [{ type: 'text', text }, ...content.filter(part => part.type !== 'text')];
}
