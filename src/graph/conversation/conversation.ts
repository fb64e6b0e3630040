import { type AgentEvent, SingletreeError } from '../../events/index.ts';
import { advance, emptyMoment } from '../versioned/advance.ts';
import { Moment } from '../versioned/moment.ts';
import { applyEvent } from './reducers.ts';
import type { Tables } from './tables.ts';

/**
 * An immutable conversation: chunks in blocks, blocks in messages, messages in a tree of branches. Every conversation
 * stays valid and unchanged by later reductions.
 */
export interface Conversation {
  /** The seq of its newest logged event; an event that is not newer leaves the conversation unchanged. */
  readonly seq: number | undefined;
}

/** An empty conversation. */
export function createConversation(): Conversation {
  return emptyMoment<Tables>();
}

/**
 * Returns the conversation with one more event, in constant time; only an event that changes an earlier turn walks the
 * branch. The given conversation is not modified; reducing an older one starts a branch that shares everything before
 * it.
 */
export function reduceConversation(conversation: Conversation, event: AgentEvent): Conversation {
  return advance(momentOf(conversation), event, draft => applyEvent(draft, event));
}

/** The storage of a conversation. */
export function momentOf(conversation: Conversation): Moment<Tables> {
  if (conversation instanceof Moment) return conversation as Moment<Tables>;
  throw new SingletreeError(
    'invalid_argument',
    'Expected a conversation made by createConversation or reduceConversation.',
  );
}
