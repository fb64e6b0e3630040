import type { ContentPart } from '../../../events/content.ts';
import { listOf, recordOf, textOf } from '../shared/wire-value.ts';

/** Returns what a person said as content: a text when it is only that; undefined when it has none. */
export function toContent(parts: readonly ContentPart[]): string | ContentPart[] | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  return parts.length === 1 && first.type === 'text' ? first.text : [...parts];
}

/** Returns the parts of a message whose blocks are as in the Anthropic API; blocks of other kinds are left out. */
export function readContentParts(content: unknown): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return listOf(content).flatMap((value): ContentPart[] => {
    const block = recordOf(value);
    const text = textOf(block?.['text']);
    if (text !== undefined) return [{ type: 'text', text }];
    const source = recordOf(block?.['source']);
    const data = textOf(source?.['data']) ?? textOf(source?.['url']) ?? textOf(block?.['data']);
    const mediaType = textOf(source?.['media_type']) ?? textOf(block?.['mimeType']) ?? 'application/octet-stream';
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
