import type { ContentPart } from './content.ts';

/** The text of what a person said, without its images and files. */
export function textOfContent(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
