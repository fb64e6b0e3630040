/** The versions of the AI SDK whose clients can be served, oldest first. */
export const aiSdkVersions = [5, 6, 7] as const;

export type AiSdkVersion = (typeof aiSdkVersions)[number];

type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'interrupted' | 'other';

/** A part of what a person said while the run was under way. */
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
