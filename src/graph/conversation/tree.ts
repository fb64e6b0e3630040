import type { Mutable } from '../../base/mutable.ts';
import { changed, followersChanged } from './changes.ts';
import type { Message } from './record.ts';
import { all, type ConversationDraft, none, type Reader, start } from './tables.ts';

const unknownTip = '\u0000unknown';

/** Returns the last message of the active branch. */
export function findTip(draft: ConversationDraft): string | undefined {
  let tip = draft.last('tip', all);
  if (tip === unknownTip) {
    tip = endOfBranch(draft, start);
    draft.add('tip', all, tip);
  }
  return tip === undefined || tip === none ? undefined : tip;
}

/** Returns the last message of the active branch of a conversation. */
export function readTip(reader: Reader): Message | undefined {
  const tip = reader.last('tip', all);
  return reader.last('message', tip === unknownTip ? endOfBranch(reader, start) : (tip ?? none));
}

/** Returns the last message of the active branch below a message. */
export function endOfBranch(reader: Reader, messageId: string): string {
  let at = messageId;
  for (let next = reader.last('activeFollower', at); next !== undefined && next !== none; ) {
    at = next;
    next = reader.last('activeFollower', at);
  }
  return at;
}

interface NewMessage extends Pick<Message, 'id' | 'role' | 'runId'> {
  readonly parentMessageId?: string | undefined;
  readonly spawnedBy?: string | undefined;
}

/** Adds a message after another one, or at the beginning, and makes it the active one of its siblings. */
export function addMessage(draft: ConversationDraft, fields: NewMessage): void {
  const { id, role, runId, parentMessageId, spawnedBy } = fields;
  const message: Mutable<Message> = { id, role, runId, order: draft.count('messages', all) };
  if (parentMessageId !== undefined) message.parentMessageId = parentMessageId;
  if (spawnedBy !== undefined) message.spawnedBy = spawnedBy;
  draft.add('message', message.id, message);
  draft.add('messages', all, message.id);
  if (message.spawnedBy === undefined) follow(draft, message);
  changed(draft, message.id);
}

/** Makes a message the active one of its siblings. */
export function activate(draft: ConversationDraft, { id, parentMessageId = start }: Message): void {
  draft.add('activeFollower', parentMessageId, id);
  draft.add('tip', all, unknownTip);
  draft.add('tree', all, {});
}

/** Moves a message out of the tree and under the chunk that started its run; its followers close the gap. */
export function moveUnder(draft: ConversationDraft, messageId: string, chunkId: string): void {
  const message = draft.last('message', messageId) as Message;
  const { parentMessageId, ...rest } = message;
  const place = parentMessageId ?? start;
  draft.add('message', messageId, { ...rest, spawnedBy: chunkId });
  draft.add('moved', all, messageId);
  const active = draft.last('activeFollower', messageId);
  for (const follower of listFollowers(draft, messageId)) {
    const { parentMessageId: _, ...moved } = follower;
    follow(draft, { ...moved, ...(parentMessageId !== undefined && { parentMessageId }) });
  }
  followersChanged(draft, place);
  changed(draft, messageId);
  const siblings = listFollowers(draft, place === start ? undefined : place);
  const next = active !== undefined && active !== none ? active : siblings.at(-1)?.id;
  draft.add('activeFollower', place, next ?? none);
  draft.add('tip', all, unknownTip);
  draft.add('tree', all, {});
}

/** Returns the followers of a message, or the first messages of the conversation, in order of creation. */
export function listFollowers(reader: Reader, messageId: string | undefined): Message[] {
  const messages = reader.all('followers', messageId ?? start).flatMap(id => reader.last('message', id) ?? []);
  const here = messages.filter(message => message.spawnedBy === undefined && message.parentMessageId === messageId);
  return [...new Set(here)].toSorted((a, b) => a.order - b.order);
}

function follow(draft: ConversationDraft, message: Message): void {
  const parent = message.parentMessageId ?? start;
  const tip = findTip(draft);
  const atTip = (tip ?? start) === parent;
  const besideTip = tip !== undefined && (draft.last('message', tip)?.parentMessageId ?? start) === parent;
  draft.add('message', message.id, message);
  draft.add('followers', parent, message.id);
  followersChanged(draft, parent);
  // Each sibling shows how many there are: views watch the message before them.
  if (draft.count('followers', parent) > 1) draft.set('touched', all, parent);
  draft.add('activeFollower', parent, message.id);
  draft.add('tip', all, atTip || besideTip ? message.id : unknownTip);
  const tree = draft.last('tree', all);
  draft.add('tree', all, atTip && tree !== undefined ? { added: { to: tree, messageId: message.id } } : {});
}
