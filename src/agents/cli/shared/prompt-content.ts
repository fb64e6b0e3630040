import type { ContentPart } from '../../../events/content.ts';

type Content = string | readonly ContentPart[];

/** A user message in the form that programs accept: texts and images; other files are only named. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mediaType: string };

/** Returns the parts of a message. */
export function promptParts(content: Content): PromptPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map(part => (part.type === 'file' ? { type: 'text', text: part.filename ?? part.mediaType } : part));
}

/** Returns the text of a message, without its images. */
export function promptText(content: Content): string {
  return promptParts(content)
    .flatMap(part => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}
