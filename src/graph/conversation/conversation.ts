import { type AgentEvent, SingletreeError } from '../../events/index.ts';
import { advance, emptyMoment } from '../versioned/advance.ts';
import { Moment } from '../versioned/moment.ts';
import { applyEvent } from './reducers.ts';
import type { Tables } from './tables.ts';

/**
 * An immutable conversation: chunks in blocks, blocks in messages, messages in a tree of branches. Every conversation
 * stays valid and unchanged whatever is reduced after it.
 */
export interface Conversation {
  /** The seq of the newest logged event in it; an event that is not newer leaves the conversation as it is. */
  readonly seq: number | undefined;
}

/** An empty conversation. */
export function createConversation(): Conversation {
  return emptyMoment<Tables>();
}

/**
 * The conversation with one more event, in constant time; only an event that changes an earlier turn walks the branch.
 * The given conversation stays as it is; reducing an older one starts a branch that shares everything before it.
 */
export function reduceConversation(conversation: Conversation, event: AgentEvent): Conversation {
  return advance(momentOf(conversation), event, draft => applyEvent(draft, event));
}

/** What a conversation reads from. */
export function momentOf(conversation: Conversation): Moment<Tables> {
  if (conversation instanceof Moment) return conversation as Moment<Tables>;
  throw new SingletreeError(
    'invalid_argument',
    'Expected a conversation made by createConversation or reduceConversation.',
  );
}
