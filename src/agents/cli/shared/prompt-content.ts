import type { ContentPart } from '../../../events/index.ts';

type Content = string | readonly ContentPart[];

/** A message of a person as programs take it: texts and images; a file that is not text is only named. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mediaType: string };

/** Returns the parts of a message. */
export function promptParts(content: Content): PromptPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map(part => (part.type === 'file' ? { type: 'text', text: fileText(part) } : part));
}

/** Returns the text of a message, without its images. */
export function promptText(content: Content): string {
  return promptParts(content)
    .flatMap(part => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}

function fileText({ data, mediaType, filename = 'file' }: Extract<ContentPart, { type: 'file' }>): string {
  if (/^https?:/.test(data)) return `${filename}: ${data}`;
  if (!mediaType.startsWith('text/')) return `${filename} (${mediaType}) cannot be shown.`;
  const base64 = data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data;
  return `${filename}:\n\n${Buffer.from(base64, 'base64').toString('utf8')}`;
}
