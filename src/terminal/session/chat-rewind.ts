import type { RewindScope } from '../../control/rewind/rewind-thread.ts';
import { counted } from '../../projections/presentation/wording.ts';
import {
  forwardEntry,
  nowEntry,
  rewindEntries,
  type RewindTarget,
  scopeEntries,
  agoText,
} from '../pickers/list-entries.ts';
import type { Chat } from './chat.ts';
import { type SentMessage, SentMessages, summarisedIn } from './sent-messages.ts';

/** Lists the messages of the person: the chat goes back to one of them, or forward again. */
export async function listRewinds(chat: Chat): Promise<void> {
  const { log, clock } = chat.options;
  const { threadId: id, conversations } = chat.threads;
  if (id === undefined) return chat.note('There is nothing to go back to yet.');
  const sent = await SentMessages.open(log, id);
  const canGoForward = await conversations.rewind.canRedo(id);
  const toTarget = ({ at, ...message }: SentMessage): RewindTarget => ({
    ...message,
    age: at === undefined ? '' : agoText(at, clock.now()),
  });
  const shown = () => ({
    title: sent.hasEarlier ? 'Go back to before (↑ reads earlier messages)' : 'Go back to before',
    entries: rewindEntries(sent.messages.map(toTarget), canGoForward),
  });
  const loadEarlier = async () => {
    await sent.loadEarlier();
    return shown();
  };
  chat.list.open(
    { ...shown(), marked: nowEntry, hint: 'type to search · Enter chooses · Esc closes' },
    {
      earlier: { exist: () => sent.hasEarlier, load: loadEarlier },
      choose: entry => {
        if (entry.id === forwardEntry) return redo(chat);
        return entry.id === nowEntry ? undefined : chooseScope(chat, id, entry.id);
      },
    },
  );
}

async function chooseScope(chat: Chat, threadId: string, messageId: string): Promise<void> {
  const { folders } = await chat.threads.conversations.rewind.previewUndo(threadId, messageId);
  const entries = scopeEntries(folders.flatMap(({ files }) => files));
  chat.list.open(
    { title: 'Take back', entries, showsPreview: true, hint: 'Enter chooses · Esc closes' },
    { choose: ({ id }) => undo(chat, { messageId, scope: id as RewindScope }) },
  );
}

interface UndoOptions {
  readonly messageId?: string;
  readonly scope?: RewindScope;
}

/** Takes the newest turn back, or everything from a message on, with its files unless only the conversation is named. */
export async function undo(chat: Chat, options: UndoOptions = {}): Promise<void> {
  const { threads, draft } = chat;
  const id = threads.threadId;
  if (id === undefined) return chat.note('There is nothing to undo yet.');
  const { threadId: next, message, changed, warnings } = await threads.conversations.undo(id, options);
  if (next !== id) {
    await chat.open(next);
    // The message returns, to be edited and sent again.
    if (draft.isEmpty) draft.replace(message);
  }
  chat.note(`Went back${filesText(changed)}. /redo goes forward again.`);
  if (options.scope !== 'conversation') for (const warning of warnings) chat.note(warning, 'warning');
}

/** Redoes the last undo. */
export async function redo(chat: Chat): Promise<void> {
  const { threadId: id, conversations } = chat.threads;
  if (id === undefined) return chat.note('There is nothing to redo.');
  const { threadId: next, changed, warnings } = await conversations.redo(id);
  await chat.open(next);
  chat.note(`Forward again${filesText(changed)}.`);
  for (const warning of warnings) chat.note(warning, 'warning');
}

/** Goes back to before the message in whose turn earlier messages were summarised last; the files stay. */
export async function expand(chat: Chat): Promise<void> {
  const messageId = summarisedIn(chat.threads.follower);
  if (messageId === undefined) return chat.note('No messages were summarised lately.');
  await undo(chat, { messageId, scope: 'conversation' });
}

function filesText(changed: readonly string[]): string {
  return changed.length === 0 ? '' : ` with ${counted(changed.length, 'file')}`;
}
