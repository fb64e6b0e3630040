import { defined } from '../base/defined.ts';
import type { ContentPart } from '../events/content.ts';
import { newId } from '../events/ids.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { AgUiUserMessage } from '../protocols/http-ag-ui.ts';
import { messageBody } from '../protocols/http-api.ts';

type UserPart = Exclude<AgUiUserMessage['content'], string>[number];

/** Returns messages of AG-UI as one message of ours, with the id of the last; throws `invalid_argument` when they are empty. */
export function toMessage(messages: readonly AgUiUserMessage[]): { id: string; content: string | ContentPart[] } {
  const parts = messages.flatMap(({ content }): ContentPart[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(toContentPart),
  );
  const content = parts.filter(part => part.type !== 'text' || part.text !== '');
  const [first] = content;
  if (first === undefined)
    throw new SingletreeError('invalid_argument', 'The last message says nothing. Expected a text or a file.');
  const id = messageBody.shape.id.safeParse(messages.at(-1)?.id).data ?? newId();
  return { id, content: content.length === 1 && first.type === 'text' ? first.text : content };
}

function toContentPart(part: UserPart): ContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data, mediaType, filename } = part.type === 'binary' ? readBinary(part) : readSource(part);
  if (mediaType.startsWith('image/')) return { type: 'image', data, mediaType };
  return { type: 'file', data, mediaType, ...defined({ filename }) };
}

interface Bytes {
  /** In base64, or a URL. */
  readonly data: string;
  readonly mediaType: string;
  readonly filename?: string | undefined;
}

const anyType = { image: 'image/*', audio: 'audio/*', video: 'video/*', document: 'application/octet-stream' };

function readSource({ type, source: { value: data, mimeType } }: Extract<UserPart, { source: unknown }>): Bytes {
  return { data, mediaType: mimeType ?? anyType[type] };
}

function readBinary({ data, url, mimeType: mediaType, filename }: Extract<UserPart, { type: 'binary' }>): Bytes {
  const given = data ?? url;
  if (given !== undefined) return { data: given, mediaType, filename };
  throw new SingletreeError('invalid_argument', 'A binary part has neither "data" nor "url". Send one of them.');
}
