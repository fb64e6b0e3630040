import type { ConversationState } from '../../control/conversations/conversation-reader.ts';
import type { RewindScope } from '../../control/rewind/rewind-thread.ts';
import { allThreads } from '../../log/all-threads.ts';
import {
  agentEntries,
  ageText,
  forwardEntry,
  helpEntries,
  inboxEntries,
  type ListedThread,
  modelEntries,
  nowEntry,
  queueEntries,
  rewindEntries,
  type RewindTarget,
  scopeEntries,
  threadEntries,
  usableModels,
} from '../pickers/list-entries.ts';
import type { ListChange, ListHandlers, PickerEntry } from '../pickers/list-picker.ts';
import type { ChatApp } from './chat-app.ts';
import { runCommand } from './chat-commands.ts';
import { type SentMessage, SentMessages, summarisedIn } from './sent-messages.ts';
import type { QueuedItem } from './thread-queue.ts';

/** Opens the lists of a chat, and carries out what is chosen in them. */
export class ChatLists {
  readonly #app: ChatApp;
  #queueList: ListHandlers | undefined;

  constructor(app: ChatApp) {
    this.#app = app;
  }

  /** The keys and the commands. */
  help(query = ''): void {
    const { list, keys } = this.#app;
    const hint = 'type to search · Esc closes';
    list.open({ title: 'Help', entries: helpEntries(keys), query, hint }, { choose: () => {} });
  }

  /** The threads: those of this folder first. */
  async threads(query = ''): Promise<void> {
    const { list, threads, options } = this.#app;
    const entries = await this.#threadEntries();
    const hint = 'Enter opens · Ctrl+D deletes · Tab shows more · Esc closes';
    list.open(
      { title: 'Threads', entries, query, empty: 'no thread matches', hint },
      {
        choose: ({ id }) => this.#app.open(id),
        on: {
          'list.delete': async entry => {
            if (entry === undefined || entry.id === threads.threadId) return 'nothing';
            await threads.conversations.delete(entry.id, { remove: () => options.log.deleteThread(entry.id) });
            return { entries: await this.#threadEntries() };
          },
        },
      },
    );
  }

  /** The agents that can be used here: choosing one continues the thread with it, or begins a new one. */
  async agents(): Promise<void> {
    const { list, options, threads } = this.#app;
    const { id: current } = threads.agent;
    const entries = agentEntries(await options.agents.list(), current);
    const hint = `Enter ${threads.canChangeAgent ? 'continues this thread' : 'starts a new thread'} · type to search · Esc closes`;
    list.open({ title: 'Agents', entries, marked: current, hint }, { choose: ({ id }) => this.#app.switchAgent(id) });
  }

  /** The models that can be used, or all. */
  async models(query = ''): Promise<void> {
    const { list, threads, options } = this.#app;
    const { id: agentId, hasOwnModels } = threads.agent;
    if (hasOwnModels)
      return this.#app.note(`Write the name of a model as ${agentId} knows it after the command: /model NAME`);
    const models = await options.listModels();
    const current = threads.modelId || (threads.follower?.times.lastModel ?? '');
    const { contextSize } = options;
    const usable = usableModels(models, { current, contextSize });
    let isEvery = usable.length === 0;
    const shown = () => ({
      title: isEvery ? 'All models' : 'Models',
      entries: modelEntries(isEvery ? models : usable, { current, contextSize }),
    });
    const picker = {
      ...shown(),
      query,
      marked: query === '' && current !== '' ? current : undefined,
      empty: 'no usable model matches: Ctrl+S shows all',
      hint: 'type to search · Enter chooses · Ctrl+S all models · Esc closes',
    };
    list.open(picker, {
      choose: ({ id }) => this.#app.switchModel(id),
      on: {
        'list.scope': () => {
          isEvery = !isEvery;
          return shown();
        },
      },
    });
  }

  /** The messages of before: of this folder, or of all. */
  history(query = ''): void {
    const { list, draft } = this.#app;
    let isEverywhere = false;
    const shown = () => ({
      title: isEverywhere ? 'History of all folders' : 'History of this folder',
      entries: draft.recent(isEverywhere).map((text, at) => ({ id: `${at}`, label: text, preview: text.split('\n') })),
    });
    const hint = 'type to search · Enter takes · Ctrl+S all folders · Esc closes';
    list.open(
      { ...shown(), query, hint },
      {
        choose: ({ label }) => draft.replace(label),
        on: {
          'list.scope': () => {
            isEverywhere = !isEverywhere;
            return shown();
          },
        },
      },
    );
  }

  /** What waits for an answer, in any thread. */
  async inbox(): Promise<void> {
    const { list, options, threads } = this.#app;
    const waiting = await threads.conversations.inbox.list();
    if (waiting.length === 0) return this.#app.note('Nothing waits for an answer.');
    const items = waiting.map(({ thread: { id, title }, entry }) => ({ threadId: id, threadTitle: title, entry }));
    const entries = inboxEntries(items, options.clock.now());
    list.open(
      { title: 'Waiting for you', entries, hint: 'Enter answers · Esc closes' },
      {
        choose: async ({ id }) => {
          const [threadId = '', ...rest] = id.split(' ');
          await this.#app.open(threadId);
          this.#app.enterRelay(rest.join(' '));
        },
      },
    );
  }

  /** The messages that wait: edit, delete, send now, reorder. Nothing is sent while it is open. */
  async queue(): Promise<void> {
    const { list, draft, queue } = this.#app;
    if (queue.items.length === 0) return this.#app.note('No message waits.');
    const changed =
      (change: (item: QueuedItem) => Promise<unknown>) =>
      async (entry: PickerEntry | undefined): Promise<ListChange> => {
        const item = queue.items.find(({ id }) => id === entry?.id);
        if (item === undefined) return 'nothing';
        await change(item);
        return this.#queueEntries();
      };
    const edit = async (entry: PickerEntry | undefined) => {
      const item = queue.items.find(({ id }) => id === entry?.id);
      if (item !== undefined) draft.replace(await queue.edit(item));
    };
    const hint = 'Enter edits · Ctrl+D deletes · Ctrl+O sends now · Alt+↑/↓ moves · Esc closes';
    const handlers: ListHandlers = {
      choose: edit,
      close: () => this.#app.attempt(() => queue.resume('list', 'stop')),
      on: {
        'list.delete': changed(item => queue.remove(item)),
        'list.move-up': changed(item => queue.move(item, -1)),
        'list.move-down': changed(item => queue.move(item, 1)),
        'list.edit': entry => edit(entry).then(() => 'close'),
        'list.send': changed(async item => {
          if (item.isCommand) runCommand(this.#app, await queue.edit(item));
          else await queue.sendNow(item);
        }),
      },
    };
    this.#queueList = handlers;
    await queue.pause('list');
    list.open({ title: 'Queue', entries: queueEntries(queue.items), hint }, handlers);
  }

  /** Shows what waits now, if the queue is open. */
  queueChanged(): void {
    if (this.#queueList !== undefined) this.#app.list.apply(this.#queueList, this.#queueEntries());
  }

  #queueEntries(): ListChange {
    const { items } = this.#app.queue;
    return items.length === 0 ? 'close' : { entries: queueEntries(items) };
  }

  /** Your messages: go back to one of them, or forward again. */
  async rewind(): Promise<void> {
    const { list, options, threads } = this.#app;
    const { log, clock } = options;
    const id = threads.threadId;
    if (id === undefined) return this.#app.note('There is nothing to go back to yet.');
    const sent = await SentMessages.open(log, id);
    const canGoForward = await threads.conversations.rewind.canRedo(id);
    const targetOf = ({ at, ...message }: SentMessage): RewindTarget => ({
      ...message,
      age: at === undefined ? '' : ageText(at, clock.now()),
    });
    const shown = () => ({
      title: sent.hasEarlier ? 'Go back to before (↑ reads earlier messages)' : 'Go back to before',
      entries: rewindEntries(sent.messages.map(targetOf), canGoForward),
    });
    list.open(
      { ...shown(), marked: nowEntry, hint: 'type to search · Enter chooses · Esc closes' },
      {
        earlier: {
          exist: () => sent.hasEarlier,
          load: async () => {
            await sent.loadEarlier();
            return shown();
          },
        },
        choose: entry => {
          if (entry.id === forwardEntry) return this.redo();
          return entry.id === nowEntry ? undefined : this.#chooseScope(id, entry);
        },
      },
    );
  }

  /** Takes the newest turn back, with its files. */
  async undo(): Promise<void> {
    const id = this.#app.threads.threadId;
    if (id === undefined) return this.#app.note('There is nothing to undo yet.');
    await this.#undo(id, {});
  }

  /** Takes up again what the last undo took back. */
  async redo(): Promise<void> {
    const { threadId: id, conversations } = this.#app.threads;
    if (id === undefined) return this.#app.note('There is nothing to redo.');
    const { threadId: next, changed, warnings } = await conversations.redo(id);
    await this.#app.open(next);
    this.#app.note(`Forward again${filesText(changed)}.`);
    for (const warning of warnings) this.#app.note(warning, 'warning');
  }

  /** Goes back to before the message in whose turn earlier messages were summarised last; the files stay. */
  async expand(): Promise<void> {
    const { threadId: id, follower } = this.#app.threads;
    const messageId = summarisedIn(follower);
    if (id === undefined || messageId === undefined) return this.#app.note('No messages were summarised lately.');
    await this.#undo(id, { messageId, scope: 'conversation' });
  }

  async #chooseScope(threadId: string, { id: messageId }: PickerEntry): Promise<void> {
    const { list, threads } = this.#app;
    const { folders } = await threads.conversations.rewind.previewUndo(threadId, messageId);
    const entries = scopeEntries(folders.flatMap(({ files }) => files));
    list.open(
      { title: 'Take back', entries, showsPreview: true, hint: 'Enter chooses · Esc closes' },
      { choose: ({ id }) => this.#undo(threadId, { messageId, scope: id as RewindScope }) },
    );
  }

  async #undo(threadId: string, options: { readonly messageId?: string; readonly scope?: RewindScope }): Promise<void> {
    const { threads, draft } = this.#app;
    const { threadId: next, message, changed, warnings } = await threads.conversations.undo(threadId, options);
    if (next !== threadId) {
      await this.#app.open(next);
      // The message returns, to be edited and sent again.
      if (draft.isEmpty) draft.replace(message);
    }
    this.#app.note(`Went back${filesText(changed)}. /redo goes forward again.`);
    if (options.scope !== 'conversation') for (const warning of warnings) this.#app.note(warning, 'warning');
  }

  async #threadEntries(): Promise<readonly PickerEntry[]> {
    const { options, threads } = this.#app;
    const { log, cwd, clock } = options;
    const { conversations } = threads;
    const states = new Map<string, ConversationState>();
    for (const thread of await conversations.active())
      states.set(thread.id, (await conversations.status(thread)).state);
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
}

function filesText(changed: readonly string[]): string {
  return changed.length === 0 ? '' : ` with ${changed.length} ${changed.length === 1 ? 'file' : 'files'}`;
}
