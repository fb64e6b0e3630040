import type { AgentEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { applyEvent } from './reducers.ts';
import { changeRun } from './runs.ts';
import type { ConversationDraft, Tables } from './tables.ts';
import { advance, emptyStore } from '../versioned/advance.ts';
import { Snapshot, type Store } from '../versioned/store.ts';

/**
 * An immutable conversation: chunks in blocks, blocks in messages, messages in a tree of branches. Every conversation
 * stays valid and unchanged by later reductions.
 */
export interface Conversation {
  /** The seq of its newest logged event; an event that is not newer leaves the conversation unchanged. */
  readonly seq: number | undefined;
}

/** The conversation that callers hold. */
class ConversationSnapshot extends Snapshot<Tables> implements Conversation {
  override at(store: Store<Tables>, version: number, seq: number | undefined): ConversationSnapshot {
    return new ConversationSnapshot(store, version, seq);
  }
}

/** An empty conversation. */
export function createConversation(): Conversation {
  return new ConversationSnapshot(emptyStore(), 0, undefined);
}

/**
 * Returns the conversation with one more event, in constant time; only an event that changes an earlier turn walks the
 * branch. The given conversation is not modified; reducing an older one starts a branch that shares everything before
 * it.
 */
export function reduceConversation(conversation: Conversation, event: AgentEvent): Conversation {
  return advance<Tables, ConversationSnapshot, AgentEvent>(getSnapshot(conversation), event, applyEvent);
}

/** Returns the conversation with runs marked as ones that report the start of their calls. */
export function reportStarts(conversation: Conversation, runIds: readonly string[]): Conversation {
  return runIds.reduce<Conversation>((before, runId) => {
    const apply = (draft: ConversationDraft) => {
      const run = draft.last('run', runId);
      if (run !== undefined) changeRun(draft, run, { reportsStart: true });
    };
    return advance<Tables, ConversationSnapshot, { seq?: number }>(getSnapshot(before), {}, apply);
  }, conversation);
}

/** The storage of a conversation. */
export function getSnapshot(conversation: Conversation): ConversationSnapshot {
  if (conversation instanceof ConversationSnapshot) return conversation;
  throw new SingletreeError(
    'invalid_argument',
    'Expected a conversation made by createConversation or reduceConversation.',
  );
}
