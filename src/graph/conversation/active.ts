import { SingletreeError } from '../../base/singletree-error.ts';
import { type Conversation, getSnapshot } from './conversation.ts';
import type { Message } from './record.ts';
import { messageNamed } from './runs.ts';
import { all, type Reader, start, type Tree } from './tables.ts';
import { endOfBranch } from './tree.ts';

/** The content of a view: a branch of the conversation, or all of it. */
export interface Active {
  /** The ids of its messages, in order; messages of subagents are nested in them. */
  readonly messages: readonly string[];
  /** Whether it is everything: all branches, and the source of every summary. */
  readonly full: boolean;
}

/** The most recent active branch for each storage of conversations. */
const newestActive = new WeakMap<object, { readonly tree: Tree; readonly active: Active }>();

/** Returns the active branch: of each set of siblings the one that was created or selected last. */
export function defaultActive(conversation: Conversation): Active {
  const snapshot = getSnapshot(conversation);
  const tree = snapshot.last('tree', all);
  if (tree === undefined) return branchTo(snapshot, start);
  const before = newestActive.get(snapshot.store);
  if (before?.tree === tree) return before.active;
  const active = (before && extended(before, tree)) ?? branchTo(snapshot, endOfBranch(snapshot, start));
  newestActive.set(snapshot.store, { tree, active });
  return active;
}

/** Returns the branch extended by messages added at its end; undefined when the tree changed in another way. */
function extended(before: { readonly tree: Tree; readonly active: Active }, tree: Tree): Active | undefined {
  const added: string[] = [];
  for (let at = tree; at !== before.tree; ) {
    if (at.added === undefined) return undefined;
    added.push(at.added.messageId);
    at = at.added.to;
  }
  return { messages: before.active.messages.concat(added.toReversed()), full: false };
}

/** Returns the branch that ends with a message; throws `invalid_argument` when no branch contains it. */
export function activeUpTo(conversation: Conversation, messageId: string): Active {
  const snapshot = getSnapshot(conversation);
  return branchTo(snapshot, onBranch(snapshot, messageId).id);
}

/** Returns the branch through a message and its active followers; throws `invalid_argument` when no branch has it. */
export function selectSibling(conversation: Conversation, messageId: string): Active {
  const snapshot = getSnapshot(conversation);
  return branchTo(snapshot, endOfBranch(snapshot, onBranch(snapshot, messageId).id));
}

/** Returns everything that ever happened, in the order of the messages. */
export function fullHistory(conversation: Conversation): Active {
  const snapshot = getSnapshot(conversation);
  const messages = snapshot.all('messages', all).filter(id => snapshot.last('message', id)?.spawnedBy === undefined);
  return { messages, full: true };
}

function onBranch(reader: Reader, id: string): Message {
  const message = messageNamed(reader, id);
  if (message !== undefined && message.spawnedBy === undefined) return message;
  throw new SingletreeError('invalid_argument', `Unknown message "${id}": it is on no branch of this conversation.`, {
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
