import type { TypeWithEffect } from '../../events/structure.ts';
import type { AgentEvent, EventOf, EventType } from '../../events/vocabulary.ts';

/** A turn of the conversation: a user message, one run of an agent, or the events before the first of these. */
export interface Message {
  /** `{runId}:user` for a user message; the run id for an agent message. */
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly runId: string;
  /** Its index among all messages. */
  readonly order: number;
  /** Its predecessor; absent at the beginning of the conversation and inside another message. */
  readonly parentMessageId?: string;
  /** The chunk that started the run, for a subagent. */
  readonly spawnedBy?: string;
}

/** Chunks of one invocation: one model call and its tools, or one user message. */
export interface Block {
  readonly id: string;
  readonly messageId: string;
  readonly role: 'user' | 'assistant' | 'system';
  /** The step of the run at its start; absent when the run reports no steps. */
  readonly step?: number;
  /** A block is open until its model call has ended; a later attempt at the step supersedes an open one. */
  readonly state: 'open' | 'complete' | 'superseded';
  /** Whether one of its calls has a result: the model's next output starts a new block. */
  readonly answered: boolean;
}

export type ChunkKind =
  | Exclude<EventType, TypeWithEffect<'run start' | 'run end' | 'run' | 'attempt' | 'branch' | 'fold' | 'none'>>
  | 'run';

/** One piece of content. Text and reasoning have their whole text in `textOf`. */
export interface Chunk {
  readonly id: string;
  readonly blockId: string;
  readonly kind: ChunkKind;
  readonly runId: string;
  /** Its index among all chunks. */
  readonly order: number;
  /** The event it was made from; the first one for a growing chunk. */
  readonly event: AgentEvent;
  /** The call or the execution it belongs to. */
  readonly ownerId?: string;
  /** The newest value, for a growing chunk. */
  readonly providerMetadata?: Record<string, unknown>;
}

/** One run: its own message, or the message it belongs to. */
export interface Run {
  readonly runId: string;
  readonly messageId: string;
  readonly agentId?: string;
  readonly model?: string;
  readonly parentId?: string;
  /** Its job for the memory of another run; absent for all other runs. */
  readonly memory?: NonNullable<EventOf<'harness_start'>['memory']>;
  /** Its current step. */
  readonly step?: number;
  readonly status: RunStatus;
  /** The times of its start and of its end, when the events have them. */
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** Whether it reports when a tool starts: then a call without a start did not run. */
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
  /** The event it was made from. */
  readonly event: EventOf<'summary'>;
}

/** An edge between the tiers. */
export interface Hyperedge {
  readonly kind: 'chunk_to_block' | 'block_to_message' | 'parent_message';
  readonly from: string;
  readonly to: string;
}
