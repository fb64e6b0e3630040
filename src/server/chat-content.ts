import type { ContentPart } from '../events/content.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { MessageBody } from '../protocols/http-api.ts';
import type { ChatBody } from '../protocols/http-chat.ts';

type ChatMessage = ChatBody['messages'][number];

/** What an AI SDK user message says, as a message of ours; other parts than text and files are passed over. */
export function contentOf({ parts }: ChatMessage): MessageBody['content'] {
  const content = parts.flatMap((part): ContentPart[] => {
    const { type, text, url, mediaType, filename } = part;
    if (type === 'text' && typeof text === 'string' && text !== '') return [{ type: 'text', text }];
    if (type !== 'file' || typeof url !== 'string' || typeof mediaType !== 'string') return [];
    const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1] ?? url;
    if (mediaType.startsWith('image/')) return [{ type: 'image', data, mediaType }];
    return [{ type: 'file', data, mediaType, ...(typeof filename === 'string' && { filename }) }];
  });
  const [first] = content;
  if (first === undefined)
    throw new SingletreeError('invalid_argument', 'The last message says nothing. Expected a text or a file part.');
  return content.length === 1 && first.type === 'text' ? first.text : content;
}

/** An answer that a person gave to an approval, in a tool part. */
export interface ApprovalResponse {
  readonly relayId: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/** The answers to approvals that an assistant message carries. */
export function approvalsIn({ parts }: ChatMessage): ApprovalResponse[] {
  return parts.flatMap(part => {
    const { approval } = part;
    if (typeof approval !== 'object' || approval === null) return [];
    const { id, approved, reason } = approval as { id?: unknown; approved?: unknown; reason?: unknown };
    if (typeof id !== 'string' || typeof approved !== 'boolean') return [];
    return [{ relayId: id, approved, ...(typeof reason === 'string' && { reason }) }];
  });
}

/** Where the client is in the log: what the server left in the message when its response ended. */
export function progressIn({ metadata }: ChatMessage): { runId: string; seq: number } | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const { runId, seq } = metadata as { runId?: unknown; seq?: unknown };
  return typeof runId === 'string' && typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0
    ? { runId, seq }
    : undefined;
}
