import { defined } from '../../../../../base/defined.ts';
import type { ContentPart } from '../../../../../events/content.ts';

export interface PromptSettings {
  /** The model as `provider/model`. */
  readonly model?: string | undefined;
  /** The agent of the program that answers. */
  readonly mode?: string | undefined;
}

/** Returns the body of a request that sends a prompt. */
export function promptBody(content: string | readonly ContentPart[], { model, mode }: PromptSettings): object {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(toPart);
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/s.exec(model ?? '') ?? [];
  return {
    parts,
    ...(providerID !== undefined && { model: { providerID, modelID } }),
    ...defined({ agent: mode }),
  };
}

function toPart(part: ContentPart): object {
  if (part.type === 'text') return part;
  const { data, mediaType } = part;
  const url = /^[a-z][a-z0-9+.-]*:/i.test(data) ? data : `data:${mediaType};base64,${data}`;
  return {
    type: 'file',
    mime: mediaType,
    url,
    ...defined({ filename: part.type === 'file' ? part.filename : undefined }),
  };
}
