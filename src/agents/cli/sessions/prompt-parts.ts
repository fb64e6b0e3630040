import type { ContentPart } from '../../../events/content.ts';
import { toList, toRecord, toText } from '../shared/wire-value.ts';

/** Returns the content of a user message: a string for plain text, undefined if it is empty. */
export function toContent(parts: readonly ContentPart[]): string | ContentPart[] | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  return parts.length === 1 && first.type === 'text' ? first.text : [...parts];
}

/** Returns the parts of a message with blocks as in the Anthropic API; omits blocks of other kinds. */
export function readContentParts(content: unknown): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return toList(content).flatMap((value): ContentPart[] => {
    const block = toRecord(value);
    const text = toText(block?.['text']);
    if (text !== undefined) return [{ type: 'text', text }];
    const source = toRecord(block?.['source']);
    const data = toText(source?.['data']) ?? toText(source?.['url']) ?? toText(block?.['data']);
    const mediaType = toText(source?.['media_type']) ?? toText(block?.['mimeType']) ?? 'application/octet-stream';
    if (data === undefined) return [];
    return [
      { type: mediaType.startsWith('image/') || block?.['type'] === 'image' ? 'image' : 'file', data, mediaType },
    ];
  });
}

/** Returns an image as a block of the Anthropic API. */
export function writeImage({ data, mediaType }: { readonly data: string; readonly mediaType: string }): unknown {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}
