import type { ContentPart } from '../events/content.ts';
import type { EventOf, EventType } from '../events/vocabulary.ts';

type Fields<Type extends EventType, Names extends keyof EventOf<Type>> = { readonly kind: Type } & Readonly<
  Pick<EventOf<Type>, Names>
>;

/** The answer to a relay node. */
export type RelayResolution = Readonly<
  Pick<EventOf<'relay_resolved'>, 'outcome' | 'feedback' | 'input' | 'answer' | 'remember' | 'by'>
>;

type RelayFields<Relay> = Relay extends { type: 'relay' }
  ? { readonly kind: 'relay'; readonly resolution?: RelayResolution } & Readonly<
      Omit<Relay, 'type' | 'id' | 'runId' | 'parentId' | 'ts' | 'seq' | 'sessionId' | 'agentId' | 'line'>
    >
  : never;

/** One node of the conversation graph; `kind` determines its event and its fields. */
export type Node = { readonly id: string; readonly runId: string } & (
  | Fields<'text', 'content'>
  | Fields<'reasoning', 'content'>
  | Fields<'tool_call', 'name' | 'input'>
  | Fields<'tool_result', 'name' | 'output'>
  | Fields<'tool_progress', 'toolCallId' | 'name' | 'content'>
  | { readonly kind: 'user'; readonly content: string | readonly ContentPart[] }
  | Fields<'harness_start', 'agentId'>
  | Fields<'harness_end', 'agentId' | 'reason'>
  | Fields<'error', 'message' | 'code' | 'fatal'>
  | Fields<
      'usage',
      'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'reasoningTokens' | 'model' | 'cost'
    >
  | RelayFields<EventOf<'relay'>>
  | Fields<'repl_input', 'code' | 'iteration'>
  | Fields<'repl_progress', 'chunk' | 'stream'>
  | Fields<'repl_output', 'stdout' | 'error' | 'done' | 'iteration' | 'durationMs' | 'truncated'>
  | Fields<'warning', 'message' | 'code'>
  | Fields<'plan_status', 'planId' | 'from' | 'to'>
  | Fields<'tasks', 'tasks'>
  | Fields<'file_registered', 'path' | 'mediaType' | 'size' | 'toolCallId'>
  | Fields<'unknown', 'raw'>
  | Fields<'custom', 'name' | 'data'>
);

export type NodeKind = Node['kind'];

/** The node of one kind. */
export type NodeOf<Kind extends NodeKind> = Extract<Node, { kind: Kind }>;
