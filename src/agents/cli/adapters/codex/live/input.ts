import type { ContentPart } from '../../../../../events/content.ts';
import { promptParts } from '../../../shared/prompt-content.ts';

/** Returns a user message as the input of a turn. */
export function toInput(content: string | readonly ContentPart[]): object[] {
  return promptParts(content).map(part =>
    part.type === 'text'
      ? { type: 'text', text: part.text, text_elements: [] }
      : { type: 'image', url: toUrl(part.data, part.mediaType) },
  );
}

function toUrl(data: string, mediaType: string): string {
  return /^(https?|data):/.test(data) ? data : `data:${mediaType};base64,${data}`;
}
