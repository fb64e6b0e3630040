import type { ContentPart } from '../../../../../events/content.ts';
import { readAttachment, textOfBase64 } from '../../../../model/attachments/attachment-data.ts';

/** Returns a user message as content blocks; an unreadable attachment is named in a text block. */
export function claudeContent(content: string | readonly ContentPart[]): readonly object[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map(part => (part.type === 'text' ? { type: 'text', text: part.text } : attachmentBlock(part)));
}

function attachmentBlock(part: Exclude<ContentPart, { type: 'text' }>): object {
  const name = ('filename' in part ? part.filename : undefined) ?? part.mediaType;
  const data = readAttachment(part.data, part.mediaType);
  if ('problem' in data) return { type: 'text', text: `[The attachment ${name} is missing: ${data.problem}.]` };
  const type = part.type === 'image' || data.mediaType.startsWith('image/') ? 'image' : 'document';
  if ('url' in data) return { type, source: { type: 'url', url: data.url.href } };
  const text = type === 'document' && data.mediaType !== 'application/pdf' ? textOfBase64(data.base64) : undefined;
  if (text !== undefined) return { type, title: name, source: { type: 'text', media_type: 'text/plain', data: text } };
  return { type, source: { type: 'base64', media_type: data.mediaType, data: data.base64 } };
}
