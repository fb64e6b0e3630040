import type { ConversationState } from '../../control/conversations/conversation-reader.ts';
import { allThreads } from '../../log/all-threads.ts';
import {
  agentEntries,
  helpEntries,
  inboxEntries,
  type ListedThread,
  modelEntries,
  queueEntries,
  threadEntries,
  usableModels,
} from '../pickers/list-entries.ts';
import type { ListChange, PickerEntry } from '../pickers/list-picker.ts';
import type { Chat } from './chat.ts';
import type { QueuedItem } from './thread-queue.ts';

/** Lists the keys and the commands. */
export function listKeys({ list, keys }: Chat, query: string): void {
  const hint = 'type to search · Esc closes';
  list.open({ title: 'Help', entries: helpEntries(keys), query, hint }, { choose: () => {} });
}

/** Lists the threads, those of this folder first: one is opened or deleted. */
export async function listThreads(chat: Chat, query: string): Promise<void> {
  const { list, threads, options } = chat;
  const hint = 'Enter opens · Ctrl+D deletes · Tab shows more · Esc closes';
  list.open(
    { title: 'Threads', entries: await findThreadEntries(chat), query, empty: 'no thread matches', hint },
    {
      choose: ({ id }) => chat.open(id),
      on: {
        'list.delete': async entry => {
          if (entry === undefined || entry.id === threads.threadId) return 'nothing';
          await threads.conversations.delete(entry.id, { remove: () => options.log.deleteThread(entry.id) });
          return { entries: await findThreadEntries(chat) };
        },
      },
    },
  );
}

async function findThreadEntries({ options, threads }: Chat): Promise<readonly PickerEntry[]> {
  const { log, cwd, clock } = options;
  const { conversations } = threads;
  const states = new Map<string, ConversationState>();
  for (const thread of await conversations.active()) states.set(thread.id, (await conversations.status(thread)).state);
  const listed: ListedThread[] = [];
  for await (const thread of allThreads(log, { resourceId: 'default' }))
    listed.push({
      id: thread.id,
      title: thread.title,
      folder: await conversations.digests.findStartFolder(thread),
      updatedAt: Date.parse(thread.updatedAt),
      state: states.get(thread.id) ?? 'idle',
      isOpen: thread.id === threads.threadId,
    });
  return threadEntries(listed, cwd, clock.now());
}

/** Lists the agents that can be used here: the chosen one continues the thread, or begins a new one. */
export async function listAgents(chat: Chat): Promise<void> {
  const { list, options, threads } = chat;
  const { id: current } = threads.agent;
  const entries = agentEntries(await options.agents.list(), current);
  const hint = `Enter ${threads.canChangeAgent ? 'continues this thread' : 'starts a new thread'} · type to search · Esc closes`;
  list.open({ title: 'Agents', entries, marked: current, hint }, { choose: ({ id }) => chat.switchAgent(id) });
}

/** Lists the models that can be used, or all. */
export async function listModels(chat: Chat): Promise<void> {
  const { list, threads, options } = chat;
  const { id: agentId, hasOwnModels } = threads.agent;
  if (hasOwnModels) return chat.note(`Write the name of a model as ${agentId} knows it after the command: /model NAME`);
  const models = await options.listModels();
  const current = threads.modelId || (threads.follower?.times.lastModel ?? '');
  const { contextSize } = options;
  const usable = usableModels(models, { current, contextSize });
  let isEvery = usable.length === 0;
  const shown = () => ({
    title: isEvery ? 'All models' : 'Models',
    entries: modelEntries(isEvery ? models : usable, { current, contextSize }),
  });
  const toggleScope = () => {
    isEvery = !isEvery;
    return shown();
  };
  const picker = {
    ...shown(),
    marked: current || undefined,
    empty: 'no usable model matches: Ctrl+S shows all',
    hint: 'type to search · Enter chooses · Ctrl+S all models · Esc closes',
  };
  list.open(picker, { choose: ({ id }) => chat.switchModel(id), on: { 'list.scope': toggleScope } });
}

/** Lists the messages of before: of this folder, or of all. */
export function listHistory({ list, draft }: Chat, query: string): void {
  let isEverywhere = false;
  const shown = () => ({
    title: isEverywhere ? 'History of all folders' : 'History of this folder',
    entries: draft.recent(isEverywhere).map((text, at) => ({ id: `${at}`, label: text, preview: text.split('\n') })),
  });
  const toggleScope = () => {
    isEverywhere = !isEverywhere;
    return shown();
  };
  const hint = 'type to search · Enter takes · Ctrl+S all folders · Esc closes';
  list.open(
    { ...shown(), query, hint },
    { choose: ({ label }) => draft.replace(label), on: { 'list.scope': toggleScope } },
  );
}

/** Lists the pending relays of all threads. */
export async function listInbox(chat: Chat): Promise<void> {
  const { list, options, threads } = chat;
  const waiting = await threads.conversations.inbox.list();
  if (waiting.length === 0) return chat.note('Nothing waits for an answer.');
  const items = waiting.map(({ thread: { id, title }, entry }) => ({ threadId: id, threadTitle: title, entry }));
  const entries = inboxEntries(items, options.clock.now());
  list.open(
    { title: 'Waiting for you', entries, hint: 'Enter answers · Esc closes' },
    {
      choose: async ({ id }) => {
        const [threadId = '', ...rest] = id.split(' ');
        await chat.open(threadId);
        chat.enterRelay(rest.join(' '));
      },
    },
  );
}

/** Lists the queued messages and commands; the queue is paused while the list is open. `run` runs a queued command. */
export async function listQueue(chat: Chat, run: (command: string) => void): Promise<void> {
  const { list, draft, queue } = chat;
  if (queue.items.length === 0) return chat.note('No message waits.');
  const find = (entry: PickerEntry | undefined) => queue.items.find(({ id }) => id === entry?.id);
  const shown = (): ListChange => (queue.items.length === 0 ? 'close' : { entries: queueEntries(queue.items) });
  const changed = (change: (item: QueuedItem) => Promise<unknown>) => async (entry: PickerEntry | undefined) => {
    const item = find(entry);
    if (item === undefined) return 'nothing';
    await change(item);
    return shown();
  };
  const edit = async (entry: PickerEntry | undefined) => {
    const item = find(entry);
    if (item !== undefined) draft.replace(await queue.edit(item));
  };
  const hint = 'Enter edits · Ctrl+D deletes · Ctrl+O sends now · Alt+↑/↓ moves · Esc closes';
  await queue.pause('list');
  list.open(
    { title: 'Queue', entries: queueEntries(queue.items), hint },
    {
      choose: edit,
      close: () => chat.attempt(() => queue.resume('list', 'stop')),
      refresh: shown,
      on: {
        'list.delete': changed(item => queue.remove(item)),
        'list.move-up': changed(item => queue.move(item, -1)),
        'list.move-down': changed(item => queue.move(item, 1)),
        'list.edit': entry => edit(entry).then(() => 'close'),
        'list.send': changed(async item => (item.isCommand ? run(await queue.edit(item)) : queue.sendNow(item))),
      },
    },
  );
}
