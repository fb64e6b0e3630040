import { SingletreeError } from '../../events/index.ts';
import { type Conversation, momentOf } from './conversation.ts';
import type { Message } from './record.ts';
import { messageNamed } from './runs.ts';
import { all, type Reader, start, type Tree } from './tables.ts';
import { endOfBranch } from './tree.ts';

/** What a view shows: a branch of the conversation, or all of it. */
export interface Active {
  /** The ids of its messages, in order; those of subagents are inside of them. */
  readonly messages: readonly string[];
  /** Whether it is everything: all branches, and the source of every summary. */
  readonly full: boolean;
}

/** The active branch of the tree that was asked for last, for each storage of conversations. */
const newestActive = new WeakMap<object, { readonly tree: Tree; readonly active: Active }>();

/** The branch that is active: of each set of siblings the one that was made or selected last. */
export function defaultActive(conversation: Conversation): Active {
  const moment = momentOf(conversation);
  const tree = moment.last('tree', all);
  if (tree === undefined) return branchTo(moment, start);
  const before = newestActive.get(moment.store);
  if (before?.tree === tree) return before.active;
  const active = (before && extended(before, tree)) ?? branchTo(moment, endOfBranch(moment, start));
  newestActive.set(moment.store, { tree, active });
  return active;
}

/** The branch with the messages that were added to its end since; undefined when something else happened to the tree. */
function extended(before: { readonly tree: Tree; readonly active: Active }, tree: Tree): Active | undefined {
  const added: string[] = [];
  for (let at = tree; at !== before.tree; ) {
    if (at.added === undefined) return undefined;
    added.push(at.added.messageId);
    at = at.added.to;
  }
  return { messages: [...before.active.messages, ...added.toReversed()], full: false };
}

/** The branch that ends with a message; throws `invalid_argument` when there is none. */
export function activeUpTo(conversation: Conversation, messageId: string): Active {
  const moment = momentOf(conversation);
  return branchTo(moment, onBranch(moment, messageId).id);
}

/** The branch through a message, and from there on as it is active; throws `invalid_argument` when there is none. */
export function selectSibling(conversation: Conversation, messageId: string): Active {
  const moment = momentOf(conversation);
  return branchTo(moment, endOfBranch(moment, onBranch(moment, messageId).id));
}

/** Everything that ever happened, in the order in which the messages came. */
export function fullHistory(conversation: Conversation): Active {
  const moment = momentOf(conversation);
  const messages = moment.all('messages', all).filter(id => moment.last('message', id)?.spawnedBy === undefined);
  return { messages, full: true };
}

function onBranch(reader: Reader, id: string): Message {
  const message = messageNamed(reader, id);
  if (message !== undefined && message.spawnedBy === undefined) return message;
  throw new SingletreeError('invalid_argument', `There is no message "${id}" on a branch of this conversation.`, {
    details: { id },
  });
}

function branchTo(reader: Reader, messageId: string): Active {
  const messages: string[] = [];
  for (let at = reader.last('message', messageId); at !== undefined; ) {
    messages.push(at.id);
    at = at.parentMessageId === undefined ? undefined : reader.last('message', at.parentMessageId);
  }
  return { messages: messages.toReversed(), full: false };
}
