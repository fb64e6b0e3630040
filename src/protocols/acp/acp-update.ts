import type { EventOf } from '../../events/vocabulary.ts';

/** A piece of content in the vocabulary of the Agent Client Protocol. */
export type AcpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly mimeType?: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly blob: string; readonly mimeType?: string };
    };

/** Content that an editor shows below the title of a tool call. */
export type AcpCallContent =
  | { readonly type: 'content'; readonly content: AcpContent }
  | {
      readonly type: 'diff';
      /** Absolute. */
      readonly path: string;
      /** Null for a new file, or when the old text is not known. */
      readonly oldText: string | null;
      readonly newText: string;
    };

export type AcpCallKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'fetch'
  | 'switch_mode'
  | 'other';

export type AcpCallStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

/** A tool call as an editor shows it. */
export interface AcpCall {
  readonly toolCallId: string;
  readonly title: string;
  readonly name?: string;
  readonly kind: AcpCallKind;
  readonly status: AcpCallStatus;
  readonly content?: readonly AcpCallContent[];
  /** Absolute paths, and lines from 1 on. */
  readonly locations?: readonly { readonly path: string; readonly line?: number }[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

type Chunk<Kind extends string> = {
  readonly sessionUpdate: Kind;
  readonly messageId: string;
  readonly content: AcpContent;
};

/** The payload of `session/update`. */
export type AcpUpdate =
  | Chunk<'user_message_chunk'>
  | Chunk<'agent_message_chunk'>
  | Chunk<'agent_thought_chunk'>
  | ({ readonly sessionUpdate: 'tool_call' } & AcpCall)
  | ({ readonly sessionUpdate: 'tool_call_update'; readonly toolCallId: string } & Partial<AcpCall>)
  | {
      readonly sessionUpdate: 'plan';
      readonly entries: readonly {
        readonly content: string;
        readonly priority: 'high' | 'medium' | 'low';
        readonly status: 'pending' | 'in_progress' | 'completed';
      }[];
    }
  | {
      readonly sessionUpdate: 'usage_update';
      /** The tokens in the context of the newest model call, and its window. */
      readonly used: number;
      readonly size: number;
      /** Of the whole session. */
      readonly cost?: { readonly amount: number; readonly currency: string };
    }
  /** Only for clients that announce `session.notices`. */
  | { readonly sessionUpdate: 'notice'; readonly severity: 'info' | 'warning' | 'error'; readonly title: string };

/** Why a prompt ended. */
export type AcpStopReason = 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled';

/** A step for an editor: an update to show, a question to ask, a question that was settled, or the end of a turn. */
export type AcpStep =
  | { readonly type: 'update'; readonly update: AcpUpdate }
  /** The `tool_call` of this id was sent before. */
  | { readonly type: 'ask'; readonly relay: EventOf<'relay'>; readonly toolCall: AcpCall }
  | { readonly type: 'settled'; readonly relayId: string }
  | { readonly type: 'ended'; readonly runId: string; readonly end: AcpEnd };

/** How a turn ended: with the answer to a prompt, or with an error. */
export type AcpEnd =
  | { readonly stopReason: AcpStopReason }
  | { readonly error: { readonly message: string; readonly code: string } };
