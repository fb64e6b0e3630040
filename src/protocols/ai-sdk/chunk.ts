import { type Framing, sseFraming } from '../framing.ts';

/** The versions of the AI SDK whose clients can be served, oldest first. */
export const aiSdkVersions = [5, 6, 7] as const;

export type AiSdkVersion = (typeof aiSdkVersions)[number];

type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'interrupted' | 'other';

/** A content part of a user message sent during a run. */
export type SteeringPart =
  | { type: 'text'; text: string }
  | { type: 'file'; mediaType: string; url: string; filename?: string };

/** One chunk of the AI SDK UI message stream; which ones a client accepts depends on its version. */
export type AiSdkChunk =
  | { type: 'start'; messageId: string; messageMetadata: Record<string, unknown> }
  | { type: 'start-step' | 'finish-step' | 'reset-step' }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string; dynamic?: true }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | {
      type: 'tool-input-available';
      toolCallId: string;
      toolName: string;
      input: unknown;
      dynamic?: true;
      toolMetadata?: { runId: string; agentName: string };
    }
  | {
      type: 'tool-approval-request';
      approvalId: string;
      toolCallId: string;
      approvalDescriptor?: unknown;
      isAutomatic?: true;
    }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown; dynamic?: true }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; dynamic?: true }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'steering-message'; id: string; parts: SteeringPart[] }
  | { type: `data-${string}`; id?: string; data: unknown; transient?: true }
  | { type: 'message-metadata'; messageMetadata: Record<string, unknown> }
  | { type: 'finish'; finishReason: FinishReason; messageMetadata: Record<string, unknown> }
  | { type: 'abort'; reason: string }
  | { type: 'error'; errorText: string };

/**
 * The value without keys that could change a prototype: a client of the AI SDK refuses the chunk they are in. A value
 * that has none is returned itself.
 */
export function acceptable<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(acceptable);
    return items.some((item, at) => item !== value[at]) ? (items as Value) : value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [key, field] of Object.entries(value)) {
    const kept = acceptable(field as unknown);
    if (kept === field && !isForbidden(key, field)) continue;
    copy ??= { ...(value as Record<string, unknown>) };
    if (isForbidden(key, field)) delete copy[key];
    else copy[key] = kept;
  }
  return (copy as Value | undefined) ?? value;
}

function isForbidden(key: string, field: unknown): boolean {
  if (key === '__proto__') return true;
  return key === 'constructor' && typeof field === 'object' && field !== null && Object.hasOwn(field, 'prototype');
}

const last = 'data: [DONE]\n\n';

/** Server-sent events as AI SDK clients expect them: marked by a header, ended by `[DONE]`, failures as `error` chunks. */
export const aiSdkFraming: Framing = {
  ...sseFraming,
  headers: { ...sseFraming.headers, 'x-vercel-ai-ui-message-stream': 'v1' },
  problem: ({ detail }) => {
    const chunk: AiSdkChunk = { type: 'error', errorText: detail };
    return sseFraming.frame(JSON.stringify(chunk)) + last;
  },
  last,
};
