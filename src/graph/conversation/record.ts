import type { AgentEvent, EventOf, EventType } from '../../events/index.ts';

/** A turn of the conversation: what a person said, one run of an agent, or what stands before the first of these. */
export interface Message {
  /** A person's is `{runId}:user`; an agent's is the id of its run. */
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly runId: string;
  /** Its place among all messages. */
  readonly order: number;
  /** The message it follows; absent at the beginning of the conversation and inside another message. */
  readonly parentMessageId?: string;
  /** The chunk that started the run, when it is a subagent's. */
  readonly spawnedBy?: string;
}

/** Chunks of one invocation: one model call and what its tools did, or one thing a person said. */
export interface Block {
  readonly id: string;
  readonly messageId: string;
  readonly role: 'user' | 'assistant' | 'system';
  /** The step of the run it began with; absent when the run did not tell. */
  readonly step?: number;
  /** A block is open until its model call ended; a later attempt at the step supersedes an open one. */
  readonly state: 'open' | 'complete' | 'superseded';
  /** Whether one of its calls has a result: the model's next word begins a new block. */
  readonly answered: boolean;
}

export type ChunkKind =
  | Exclude<
      EventType,
      'harness_start' | 'harness_end' | 'step_start' | 'session' | 'branch_selected' | 'collapsed' | 'abort_requested'
    >
  | 'run';

/** One piece of content. Text and reasoning have their whole text in `textOf`. */
export interface Chunk {
  readonly id: string;
  readonly blockId: string;
  readonly kind: ChunkKind;
  readonly runId: string;
  /** Its place among all chunks. */
  readonly order: number;
  /** The event it was made from; the first one when it grows. */
  readonly event: AgentEvent;
  /** The call or the execution it belongs to. */
  readonly ownerId?: string;
  /** The newest that was given, for a chunk that grows. */
  readonly providerMetadata?: Record<string, unknown>;
}

/** One run: the message it is, or the message it speaks in. */
export interface Run {
  readonly runId: string;
  readonly messageId: string;
  readonly agentId?: string;
  readonly model?: string;
  readonly parentId?: string;
  /** The step it is in. */
  readonly step?: number;
  readonly status: RunStatus;
  /** Whether it tells when a tool starts: then a call that was not started did not run. */
  readonly reportsStart: boolean;
}

export type RunStatus = 'running' | NonNullable<EventOf<'harness_end'>['reason']>;

/** A shorter form of a span of blocks, both ends included. */
export interface Summary {
  readonly id: string;
  readonly text: string;
  readonly kind: EventOf<'summary'>['kind'];
  readonly fromBlockId: string;
  readonly toBlockId: string;
}

/** An edge between the tiers. */
export interface Hyperedge {
  readonly kind: 'chunk_to_block' | 'block_to_message' | 'parent_message';
  readonly from: string;
  readonly to: string;
}
