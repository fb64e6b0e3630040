import { inlineText } from '../../../model/attachments/attachment-data.ts';
import type { ContentPart } from '../../../../events/content.ts';

/** Returns the content of a message as blocks of the protocol: images and files if supported, other texts inlined. */
export function promptBlocks(
  content: string | readonly ContentPart[],
  accepts: { readonly images: boolean; readonly files: boolean },
): Readonly<Record<string, unknown>>[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, index) => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    if (part.type === 'image' && accepts.images) return { type: 'image', mimeType: part.mediaType, data: part.data };
    const name = part.type === 'file' && part.filename !== undefined ? part.filename : `attachment-${index + 1}`;
    if (part.type === 'file' && accepts.files)
      return {
        type: 'resource',
        resource: { uri: `attachment:${encodeURIComponent(name)}`, mimeType: part.mediaType, blob: part.data },
      };
    const leftOut = `[The attachment ${name} (${part.mediaType}) was left out: the agent does not take it.]`;
    return { type: 'text', text: inlineText(part) ?? leftOut };
  });
}
