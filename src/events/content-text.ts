import type { ContentPart } from './content.ts';

/** Returns the text of a user message without its images and files. */
export function textOfContent(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
