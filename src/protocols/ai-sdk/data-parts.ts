import { defined } from '../../base/defined.ts';
import type { ContentPart } from '../../events/content.ts';
import type { AiSdkChunk, AiSdkVersion, SteeringPart } from './chunk.ts';
import type { RelayDecision } from '../request/decision.ts';
import type { OpenRelay } from '../request/open.ts';

/** Returns the content of a user message as text and file parts of a UI message. */
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

type DataPart = Extract<AiSdkChunk, { type: `data-${string}` }>;

/** Reserved names of data parts: a custom event with one of these names becomes `data-custom`. */
const ownNames: ReadonlySet<string> = new Set([
  'agent',
  'approval',
  'cost-summary',
  'custom',
  'error',
  'file-registered',
  'latency-summary',
  'plan',
  'steering',
  'tasks',
  'tool-progress',
  'warning',
]);

/** Returns a custom event as a data part. */
export function customPart(name: string, data: unknown): DataPart {
  return ownNames.has(name) ? { type: 'data-custom', data: { name, data } } : { type: `data-${name}`, data };
}

const statuses = { pending: 'pending', approve: 'approved', reject: 'rejected', revise: 'revised' } as const;

/** An approval that no tool part can show, as a data part that is replaced when it is decided. */
export function approvalPart(
  { id, kind, target, payload }: Pick<OpenRelay, 'id' | 'kind' | 'target' | 'payload'>,
  decision?: RelayDecision,
): DataPart {
  const { outcome, ...details } = decision ?? { outcome: 'pending' as const };
  const status = decision?.answer === undefined ? statuses[outcome] : 'answered';
  return { type: 'data-approval', id, data: { id, kind, target, payload, status, ...details } };
}

/** Returns the part for a user message sent during a run; clients before version 7 have no dedicated part for it. */
export function userPart(
  version: AiSdkVersion,
  id: string,
  content: string | readonly ContentPart[],
): DataPart | Extract<AiSdkChunk, { type: 'steering-message' }> {
  if (version < 7) return { type: 'data-steering', id, data: { id, content } };
  return { type: 'steering-message', id, parts: contentParts(content) };
}
