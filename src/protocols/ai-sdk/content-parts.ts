import type { ContentPart } from '../../events/content.ts';
import type { SteeringPart } from './chunk.ts';
import { defined } from '../../base/defined.ts';

/** What a person said, as text and file parts of a UI message. */
export function contentParts(content: string | readonly ContentPart[]): SteeringPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(contentPart);
}

function contentPart(part: ContentPart): SteeringPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data, mediaType } = part;
  const url = /^(https?|data):/.test(data) ? data : `data:${mediaType};base64,${data}`;
  const filename = part.type === 'file' ? part.filename : undefined;
  return { type: 'file', mediaType, url, ...defined({ filename }) };
}
