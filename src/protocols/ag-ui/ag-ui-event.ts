import { type Framing, sseFraming } from '../framing.ts';
import type { RequestTokenUsage } from '../request/totals.ts';

/** The protocol versions of AG-UI clients, oldest first: 0.0 is what CopilotKit 1.75 and other clients of 0.0.59 speak. */
export const agUiVersions = ['0.0', '1.0'] as const;
export type AgUiVersion = (typeof agUiVersions)[number];

/** The metadata that Singletree adds to events and messages of AG-UI. */
export interface AgUiMetadata {
  readonly singletree: Readonly<Record<string, unknown>>;
}

/** A request that a user must answer before the run continues. */
export interface AgUiInterrupt {
  /** The relay, and the seq up to which its reader has the log: `<relay id>@<seq>`. */
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly toolCallId?: string;
  /** JSON Schema of the answer. */
  readonly responseSchema: Readonly<Record<string, unknown>>;
  readonly expiresAt?: string;
  readonly subagentRunId?: string;
  readonly metadata: AgUiMetadata;
}

/** A tool call in an assistant message; its arguments are JSON. */
export interface AgUiToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Where the bytes of a picture or document are. */
export type AgUiSource =
  | { readonly type: 'data'; readonly value: string; readonly mimeType: string }
  | { readonly type: 'url'; readonly value: string; readonly mimeType?: string };

/** A content part of a user message. */
export type AgUiContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio' | 'video' | 'document'; readonly source: AgUiSource };

/** One message as AG-UI clients keep it. */
export type AgUiMessage =
  | { readonly id: string; readonly role: 'user'; readonly content: string | readonly AgUiContentPart[] }
  | { readonly id: string; readonly role: 'system' | 'reasoning'; readonly content: string }
  | {
      readonly id: string;
      readonly role: 'assistant';
      readonly content?: string;
      readonly toolCalls?: readonly AgUiToolCall[];
      readonly subagentRunId?: string;
    }
  | {
      readonly id: string;
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string;
      readonly subagentRunId?: string;
      readonly metadata?: AgUiMetadata;
    }
  | {
      readonly id: string;
      readonly role: 'activity';
      readonly activityType: string;
      readonly content: Readonly<Record<string, unknown>>;
    };

/** The outcome of a client's run. */
export type AgUiOutcome =
  | { readonly type: 'success'; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] }
  | { readonly type: 'cancelled' };

/** The state that a client shows in addition to the messages; it returns `seq` with every request. */
export interface AgUiState {
  readonly agent?: string;
  readonly model?: string;
  readonly tasks?: unknown;
  readonly plan?: { readonly planId: string; readonly status: string };
  readonly usage?: RequestTokenUsage;
  /** The newest event of the log that the client has seen. */
  readonly seq?: number;
}

/** Fields that events of a subagent carry. */
interface Attributed {
  readonly subagentRunId?: string;
}

/** One event of the AG-UI stream, as both versions of the clients accept it. */
export type AgUiEvent =
  | {
      readonly type: 'RUN_STARTED';
      readonly threadId: string;
      readonly runId: string;
      readonly protocolVersion?: string;
    }
  | {
      readonly type: 'RUN_FINISHED';
      readonly threadId: string;
      readonly runId: string;
      readonly result?: { readonly finishReason: string };
      readonly outcome?: AgUiOutcome;
      readonly usage?: readonly Readonly<Record<string, unknown>>[];
    }
  | { readonly type: 'RUN_ERROR'; readonly message: string; readonly code: string }
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | { readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'assistant' | 'user' }
  | { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'TEXT_MESSAGE_END'; readonly messageId: string; readonly metadata?: AgUiMetadata }
  | { readonly type: 'REASONING_START' | 'REASONING_END' | 'REASONING_MESSAGE_END'; readonly messageId: string }
  | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' }
  | { readonly type: 'REASONING_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | ({
      readonly type: 'TOOL_CALL_START';
      readonly toolCallId: string;
      readonly toolCallName: string;
      readonly parentMessageId?: string;
    } & Attributed)
  | ({ readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string } & Attributed)
  | ({ readonly type: 'TOOL_CALL_END'; readonly toolCallId: string; readonly metadata?: AgUiMetadata } & Attributed)
  | ({
      readonly type: 'TOOL_CALL_RESULT';
      readonly messageId: string;
      readonly toolCallId: string;
      readonly content: string;
      readonly role: 'tool';
      readonly metadata?: AgUiMetadata;
    } & Attributed)
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: AgUiState }
  | {
      readonly type: 'STATE_DELTA';
      readonly delta: readonly { readonly op: 'add'; readonly path: string; readonly value: unknown }[];
    }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AgUiMessage[] }
  | {
      readonly type: 'ACTIVITY_SNAPSHOT';
      readonly messageId: string;
      readonly activityType: string;
      readonly content: Readonly<Record<string, unknown>>;
      readonly replace: true;
    }
  | {
      readonly type: 'SUBAGENT_STARTED';
      readonly subagentRunId: string;
      readonly name: string;
      readonly parentSubagentRunId?: string;
      readonly parentToolCallId?: string;
    }
  | {
      readonly type: 'SUBAGENT_FINISHED';
      readonly subagentRunId: string;
      readonly result?: string;
      readonly outcome?: { readonly type: 'suspended'; readonly interruptIds: readonly string[] };
    }
  | { readonly type: 'SUBAGENT_ERROR'; readonly subagentRunId: string; readonly message: string }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: unknown };

/** Server-sent events as AG-UI clients read them: a stream that fails ends with RUN_ERROR, because they ignore other ends. */
export const agUiFraming: Framing = {
  ...sseFraming,
  problem: ({ detail, code }) => {
    const event: AgUiEvent = { type: 'RUN_ERROR', message: detail, code };
    return sseFraming.frame(JSON.stringify(event));
  },
};
