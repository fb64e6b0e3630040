import type { ContentPart } from '../events/content.ts';
import type { ToolOutput } from '../events/tools.ts';

/** One message of a conversation, as it is sent to a model. */
export type Message =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ContentPart[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly content: readonly ToolResultPart[] };

export type AssistantPart =
  | { readonly type: 'text'; readonly text: string; readonly providerMetadata?: Record<string, unknown> }
  | { readonly type: 'reasoning'; readonly text: string; readonly providerMetadata?: Record<string, unknown> }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      /** The provider that executed the call; its result is a part of the same message. */
      readonly executedBy?: string;
      readonly providerMetadata?: Record<string, unknown>;
    }
  | ToolResultPart;

/** The outcome of a call, under the id the call has in the same messages. */
export interface ToolResultPart {
  readonly type: 'tool_result';
  readonly id: string;
  readonly name: string;
  readonly output: ToolOutput;
  /** The provider that executed the call, for a result inside an assistant's message. */
  readonly executedBy?: string;
  readonly providerMetadata?: Record<string, unknown>;
}
