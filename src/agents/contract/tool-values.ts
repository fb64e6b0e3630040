import type { LanguageModelV3FunctionTool, LanguageModelV3ProviderTool } from '@ai-sdk/provider';
import type { AgentEvent } from '../../events/vocabulary.ts';

type Emitted = 'custom' | 'file_registered' | 'warning' | 'plan_status' | 'tasks' | 'mode_changed';

/** The events that a tool may add to its run. */
export type ToolEvent = WithoutEnvelope<Extract<AgentEvent, { type: Emitted }>>;

/** A question of a tool to a user. */
export type ToolQuestion = WithoutEnvelope<
  Exclude<Extract<AgentEvent, { type: 'relay' }>, { relayKind: 'permission' }>,
  'type' | 'id' | 'toolCallId'
>;

type WithoutEnvelope<Event, More extends string = never> = Event extends unknown
  ? Omit<Event, 'runId' | 'seq' | 'ts' | More>
  : never;

/**
 * The return value of a tool. In an object with `context`, `context` is the value for the model and `result` the value
 * for programs; any other JSON value is used for both.
 */
export type ToolReturn = { readonly context: unknown; readonly result?: unknown } | JsonReturn;

/** A JSON value, typed loosely because an interface has no index signature. */
type JsonReturn = object | string | number | boolean | null | undefined;

/** The part of a tool's return value that programs receive. */
export type ToolResult<Return> = Return extends { readonly context: infer Context }
  ? Return extends { readonly result: infer Result }
    ? Result
    : Context
  : Return;

/** The change that a call would make to files, as a unified diff. */
export interface CallPreview {
  readonly diff?: string;
}

/** The description of a tool for a model. */
export type ModelTool = LanguageModelV3FunctionTool | LanguageModelV3ProviderTool;
