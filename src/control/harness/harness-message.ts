import type { SystemReminder } from '../conversations/system-reminder.ts';

type OperationType = 'observation' | 'reflection';

/** A part of a message. */
export type HarnessMessageContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly args: unknown }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly name: string;
      readonly result: unknown;
      readonly isError: boolean;
      readonly providerMetadata?: Record<string, unknown>;
    }
  | ({ readonly type: 'system_reminder' } & SystemReminder)
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'file'; readonly data: string; readonly mediaType: string; readonly filename?: string }
  | {
      readonly type: 'om_observation_start';
      readonly tokensToObserve: number;
      readonly operationType?: OperationType;
    }
  | {
      readonly type: 'om_observation_end';
      readonly tokensObserved: number;
      readonly observationTokens: number;
      readonly durationMs: number;
      readonly operationType?: OperationType;
      readonly observations?: string;
      readonly currentTask?: string;
      readonly suggestedResponse?: string;
    }
  | {
      readonly type: 'om_observation_failed';
      readonly error: string;
      readonly tokensAttempted?: number;
      readonly operationType?: OperationType;
    }
  | {
      readonly type: 'om_thread_title_updated';
      readonly threadId: string;
      readonly oldTitle?: string;
      readonly newTitle: string;
    };

export type HarnessStopReason = 'complete' | 'tool_use' | 'aborted' | 'error';

/**
 * One message of a thread. `content`, `stopReason` and `errorMessage` are computed on first read, as of the time of the
 * message: a message never changes. Do not write to it.
 */
export interface HarnessMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: HarnessMessageContent[];
  readonly createdAt: Date;
  readonly stopReason?: HarnessStopReason | undefined;
  readonly errorMessage?: string | undefined;
}
