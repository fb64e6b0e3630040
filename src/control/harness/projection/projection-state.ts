import type { Conversation } from '../../../graph/index.ts';
import type { AssistantPlace } from '../messages/message-view.ts';
import { emptyTokenUsage, type TokenUsage } from '../token-usage.ts';
import type { TaskItemSnapshot } from '../tasks/task-item.ts';
import { createConversation } from '../../../graph/index.ts';
import { noRelays, type RelayQueues } from './relay-queues.ts';
import type { SubagentRun } from './subagent-run.ts';

/** A message that was begun. */
export interface MessagePlace {
  readonly place: AssistantPlace;
  readonly since: Date;
}

/** A run of the thread that is under way, and what of it was told so far. */
export interface ProjectedRun {
  /** The message it speaks in. */
  readonly place: AssistantPlace;
  /** When that message began; absent when it was not told yet. */
  readonly since?: Date;
  /** The text that grows. */
  readonly textId?: string;
  readonly step?: number;
  /** Calls without a result, and calls whose arguments are being written. */
  readonly calls: ReadonlySet<string>;
  readonly inputs: ReadonlySet<string>;
  /** Where calls without a result are told, of whatever step. */
  readonly callPlaces: ReadonlyMap<string, MessagePlace>;
  /** What the step used, to be told when its calls are done. */
  readonly usage: readonly TokenUsage[];
}

/** What a thread's log came to, as far as its harness events are concerned. It is immutable. */
export interface HarnessProjection {
  readonly conversation: Conversation;
  /** By the conversation's id of the message they speak in. */
  readonly runs: ReadonlyMap<string, ProjectedRun>;
  readonly subagents: ReadonlyMap<string, SubagentRun>;
  readonly relays: RelayQueues;
  /** A person's message that is told when its run starts. */
  readonly held: string | undefined;
  /** How many messages the conversation had when a person spoke last. */
  readonly messages: number;
  /** What all steps that were told used. */
  readonly usage: TokenUsage;
  readonly tasks: readonly TaskItemSnapshot[];
}

/** A thread in which nothing happened. */
export function emptyProjection(): HarnessProjection {
  return {
    conversation: createConversation(),
    runs: new Map(),
    subagents: new Map(),
    relays: noRelays,
    held: undefined,
    messages: 0,
    usage: emptyTokenUsage(),
    tasks: [],
  };
}

/** The same with another conversation, in a copy of its own. */
export function withConversation(state: HarnessProjection, conversation: Conversation): MutableProjection {
  // Made for each fragment of text: written out it is several times faster than a spread.
  const { runs, subagents, relays, held, messages, usage, tasks } = state;
  return { conversation, runs, subagents, relays, held, messages, usage, tasks };
}

/** A projection that is still being made. */
export type MutableProjection = { -readonly [Field in keyof HarnessProjection]: HarnessProjection[Field] };

/** A run that has told nothing. */
export function newProjectedRun(messageId: string): ProjectedRun {
  return { place: { messageId, after: 0 }, calls: new Set(), inputs: new Set(), callPlaces: new Map(), usage: [] };
}
