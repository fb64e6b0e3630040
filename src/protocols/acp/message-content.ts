import { defined } from '../../base/defined.ts';
import type { ContentPart } from '../../events/content.ts';
import type { AcpContent, AcpUpdate } from './acp-update.ts';

/** Returns the content of a user message as the chunks of one message. */
export function toUserChunks(messageId: string, content: string | readonly ContentPart[]): AcpUpdate[] {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return parts.map(part => ({ sessionUpdate: 'user_message_chunk', messageId, content: toAcpContent(part) }));
}

function toAcpContent(part: ContentPart): AcpContent {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data, mediaType: mimeType } = part;
  const name = part.type === 'file' ? (part.filename ?? 'file') : 'image';
  if (/^[a-z][a-z\d+.-]*:/i.test(data)) return { type: 'resource_link', uri: data, name, mimeType };
  if (part.type === 'image') return { type: 'image', data, mimeType };
  return { type: 'resource', resource: { uri: `attachment:${encodeURIComponent(name)}`, blob: data, mimeType } };
}

/** A block of a prompt, as the protocol defines it. */
export type PromptBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType?: string | null | undefined } & (
        | { readonly text: string }
        | { readonly blob: string }
      );
    };

/**
 * Converts the blocks of a prompt to message content: text is kept, a link becomes its path or address, embedded text
 * becomes a block with its address, and images and other data become attachments. A single text stays a string.
 */
export function readPrompt(blocks: readonly PromptBlock[]): string | ContentPart[] {
  const parts: ContentPart[] = [];
  for (const block of blocks) {
    const part = toPart(block);
    const last = parts.at(-1);
    if (part.type === 'text' && last?.type === 'text') last.text += part.text;
    else parts.push(part);
  }
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' ? first.text : parts;
}

function toPart(block: PromptBlock): ContentPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', data: block.data, mediaType: block.mimeType };
    case 'audio':
      return { type: 'file', data: block.data, mediaType: block.mimeType };
    case 'resource_link':
      return { type: 'text', text: `@${toPath(block.uri)}` };
    default: {
      const { uri, mimeType } = block.resource;
      if ('text' in block.resource)
        return { type: 'text', text: `\n<context ref="${toPath(uri)}">\n${block.resource.text}\n</context>\n` };
      const filename = toPath(uri).split('/').at(-1) || undefined;
      const mediaType = mimeType ?? 'application/octet-stream';
      return { type: 'file', data: block.resource.blob, mediaType, ...defined({ filename }) };
    }
  }
}

/** The path of a `file:` address; any other address as it is. */
function toPath(uri: string): string {
  if (!uri.startsWith('file://')) return uri;
  try {
    return decodeURIComponent(uri.slice('file://'.length));
  } catch {
    return uri.slice('file://'.length);
  }
}
