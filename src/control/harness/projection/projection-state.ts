import { type Conversation, createConversation } from '../../../graph/conversation/conversation.ts';
import type { AssistantPlace } from '../messages/message-view.ts';
import { emptyTokenUsage, type TokenUsage } from '../token-usage.ts';
import type { TaskItemSnapshot } from '../../../agents/tasks/assign-task-ids.ts';
import { type MemoryCycles, noCycles } from './memory-cycles.ts';
import { type RelayBook, relayBook } from '../../../projections/relay-book.ts';
import { OpenSet } from './open-set.ts';
import type { SubagentRun } from './subagent-events.ts';
import type { Mutable } from '../../../base/mutable.ts';

/** A message that has started. */
export interface MessagePlace {
  readonly place: AssistantPlace;
  readonly since: Date;
}

/** An active run of the thread, and the part of it that was emitted. */
export interface ProjectedRun {
  /** The message it writes. */
  readonly place: AssistantPlace;
  /** When that message started; absent before its `message_start`. */
  readonly since?: Date;
  /** The id of the current text. */
  readonly textId?: string;
  readonly step?: number;
  /** Calls without a result, and calls whose arguments are being streamed. */
  readonly calls: OpenSet;
  readonly inputs: OpenSet;
  /** The message of each call without a result, of any step. */
  readonly callPlaces: ReadonlyMap<string, MessagePlace>;
  /** The usage of the step, emitted when its calls have ended. */
  readonly usage: readonly TokenUsage[];
}

/** The projection of a thread's log to harness events. It is immutable. */
export interface HarnessProjection {
  readonly conversation: Conversation;
  /** By the conversation's message id. */
  readonly runs: ReadonlyMap<string, ProjectedRun>;
  readonly subagents: ReadonlyMap<string, SubagentRun>;
  /** Whether the agent was emitted as suspended: its runs wait for nothing but the data of suspended calls. */
  readonly isSuspended: boolean;
  /** The status of each relay. */
  readonly relays: RelayBook;
  /** A user message that is emitted when its run starts. */
  readonly held: string | undefined;
  /** How many messages the conversation had at the last user message. */
  readonly messages: number;
  /** The sum of all emitted usage. */
  readonly usage: TokenUsage;
  readonly tasks: readonly TaskItemSnapshot[];
  readonly memory: MemoryCycles;
}

/** Returns the projection of an empty thread. */
export function emptyProjection(): HarnessProjection {
  return {
    conversation: createConversation(),
    runs: new Map(),
    subagents: new Map(),
    isSuspended: false,
    relays: relayBook.initial,
    held: undefined,
    messages: 0,
    usage: emptyTokenUsage(),
    tasks: [],
    memory: noCycles,
  };
}

/** Returns a mutable copy with another conversation. */
export function withConversation(state: HarnessProjection, conversation: Conversation): MutableProjection {
  // Made for each text fragment: an object literal is several times faster than a spread.
  const { runs, subagents, isSuspended, relays, held, messages, usage, tasks, memory } = state;
  return { conversation, runs, subagents, isSuspended, relays, held, messages, usage, tasks, memory };
}

/** A projection under construction. */
export type MutableProjection = Mutable<HarnessProjection>;

/** Creates a run of which nothing was emitted. */
export function newProjectedRun(messageId: string): ProjectedRun {
  return {
    place: { messageId, after: 0 },
    calls: OpenSet.empty(),
    inputs: OpenSet.empty(),
    callPlaces: new Map(),
    usage: [],
  };
}
