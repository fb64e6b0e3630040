import type { Clock, ConversationState, Harness, RewindScope } from '../../control/index.ts';
import { Conversations } from '../../control/conversations/conversations.ts';
import { ThreadDigests } from '../../control/thread-digests.ts';
import { errorText } from '../../events/index.ts';
import type { EventLog } from '../../log/index.ts';
import type { KeyMap } from '../keys/key-map.ts';
import { agentEntries } from '../pickers/agent-list.ts';
import { ageText } from '../pickers/age-text.ts';
import { helpEntries } from '../pickers/help-sheet.ts';
import { inboxEntries } from '../pickers/inbox-list.ts';
import { openPicker, type PickerEntry } from '../pickers/list-picker.ts';
import { modelEntries, usableModels } from '../pickers/model-list.ts';
import { forwardEntry, nowEntry, rewindEntries, type RewindTarget, scopeEntries } from '../pickers/rewind-list.ts';
import { type ListedThread, threadEntries } from '../pickers/thread-list.ts';
import { queueEntries } from '../pickers/queue-list.ts';
import type { ChatAgent, ChatAgents } from './chat-options.ts';
import type { DraftInput } from './draft-input.ts';
import { type SentMessage, SentMessages } from './sent-messages.ts';
import type { ListChange, ListHandlers, OpenList } from './open-list.ts';
import type { QueuedItem, ThreadQueue } from './thread-queue.ts';

/** What the lists of a chat work on. */
export interface ChatListsHost {
  readonly log: EventLog;
  readonly cwd: string;
  readonly clock: Clock;
  /** The folder with the snapshots of work trees. */
  readonly snapshots: string;
  readonly keys: KeyMap;
  readonly draft: DraftInput;
  readonly list: OpenList;
  /** What waits in the thread that is shown. */
  readonly queue: ThreadQueue;
  readonly harness: () => Harness;
  /** Resolves with the harness when the thread that is shown is open in it. */
  readonly ready: () => Promise<Harness>;
  /** The model that was chosen; empty when none was. */
  readonly modelId: () => string;
  /** Returns how many tokens the context of a model takes; undefined when that is not known. */
  readonly contextSize?: ((modelId: string) => number | undefined) | undefined;
  /** The thread that is shown; undefined before its first message. */
  readonly threadId: () => string | undefined;
  /** The message of the person in whose turn earlier messages were summarised last. */
  readonly summarisedIn: () => string | undefined;
  readonly agents: ChatAgents['list'];
  /** The agent of the thread that is shown. */
  readonly agent: () => ChatAgent;
  /** Begins a new thread with an agent. */
  readonly startWith: (agentId: string) => Promise<void>;
  readonly switchTo: (threadId: string) => Promise<void>;
  /** Goes to a question of the thread that is shown. */
  readonly enterRelay: (relayId: string) => void;
  /** Runs a slash command. */
  readonly run: (command: string) => void;
  readonly note: (text: string, level?: 'info' | 'warning' | 'error') => void;
}

/** Opens the lists of a chat, and carries out what is chosen in them. */
export class ChatLists {
  readonly #host: ChatListsHost;
  readonly #conversations: Conversations;
  readonly #digests: ThreadDigests;
  #queueList: ListHandlers | undefined;

  constructor(host: ChatListsHost) {
    this.#host = host;
    this.#conversations = new Conversations({ log: host.log, snapshots: host.snapshots });
    this.#digests = new ThreadDigests(host.log);
  }

  /** The keys and the commands. */
  help(query = ''): void {
    const { list, keys } = this.#host;
    const entries = helpEntries(keys);
    list.open(openPicker({ title: 'Help', entries, query, hint: 'type to search · Esc closes' }), { choose: () => {} });
  }

  /** The threads: those of this folder first. */
  async threads(query = ''): Promise<void> {
    const { list, harness, switchTo } = this.#host;
    const picker = openPicker({
      title: 'Threads',
      entries: await this.#threadEntries(),
      query,
      empty: 'no thread matches',
      hint: 'Enter opens · Ctrl+D deletes · Tab shows more · Esc closes',
    });
    list.open(picker, {
      choose: ({ id }) => switchTo(id),
      on: {
        'list.delete': async entry => {
          if (entry === undefined || entry.id === this.#host.threadId()) return 'nothing';
          await harness().memory.deleteThread({ threadId: entry.id });
          return { entries: await this.#threadEntries() };
        },
      },
    });
  }

  /** The agents that can be used here: choosing one begins a new thread with it. */
  async agents(): Promise<void> {
    const { list, agents, agent, startWith } = this.#host;
    const { id: current } = agent();
    const picker = openPicker({
      title: 'Agents',
      entries: agentEntries(await agents(), current),
      marked: current,
      hint: 'Enter starts a new thread · type to search · Esc closes',
    });
    list.open(picker, { choose: ({ id }) => startWith(id) });
  }

  /** The models that can be used, or all. */
  async models(query = ''): Promise<void> {
    const { list, harness, ready, note, agent } = this.#host;
    const { id: agentId, hasOwnModels } = agent();
    if (hasOwnModels) return note(`Write the name of a model as ${agentId} knows it after the command: /model NAME`);
    const models = await harness().listAvailableModels();
    const current = this.#host.modelId();
    const { contextSize } = this.#host;
    const usable = usableModels(models, { current, contextSize });
    let isEvery = usable.length === 0;
    const entriesOf = () => modelEntries(isEvery ? models : usable, { current, contextSize });
    const titleOf = () => (isEvery ? 'All models' : 'Models');
    const marked = query === '' && current !== '' ? { marked: current } : {};
    const picker = openPicker({
      title: titleOf(),
      entries: entriesOf(),
      query,
      ...marked,
      empty: 'no usable model matches: Ctrl+S shows all',
      hint: 'type to search · Enter chooses · Ctrl+S all models · Esc closes',
    });
    list.open(picker, {
      choose: async ({ id }) => {
        await (await ready()).switchModel({ modelId: id, scope: 'thread' });
        if (this.#host.threadId() === undefined) note(`Model: ${id}`);
      },
      on: {
        'list.scope': () => {
          isEvery = !isEvery;
          return { entries: entriesOf(), title: titleOf() };
        },
      },
    });
  }

  /** The messages of before: of this folder, or of all. */
  history(query = ''): void {
    const { list, draft } = this.#host;
    let isEverywhere = false;
    const entriesOf = () =>
      draft.recent(isEverywhere).map((text, at) => ({ id: `${at}`, label: text, preview: text.split('\n') }));
    const titleOf = () => (isEverywhere ? 'History of all folders' : 'History of this folder');
    const picker = openPicker({
      title: titleOf(),
      entries: entriesOf(),
      query,
      hint: 'type to search · Enter takes · Ctrl+S all folders · Esc closes',
    });
    const texts = () => draft.recent(isEverywhere);
    list.open(picker, {
      choose: ({ id }) => draft.replace(texts()[Number(id)] ?? ''),
      on: {
        'list.scope': () => {
          isEverywhere = !isEverywhere;
          return { entries: entriesOf(), title: titleOf() };
        },
      },
    });
  }

  /** What waits for an answer, in any thread. */
  async inbox(): Promise<void> {
    const { list, clock, note, switchTo, enterRelay } = this.#host;
    const items = (await this.#conversations.inbox.list()).map(({ thread, entry }) => ({
      threadId: thread.id,
      threadTitle: thread.title,
      entry,
    }));
    if (items.length === 0) return note('Nothing waits for an answer.');
    const entries = inboxEntries(items, clock.now());
    list.open(openPicker({ title: 'Waiting for you', entries, hint: 'Enter answers · Esc closes' }), {
      choose: async ({ id }) => {
        const [threadId = '', ...rest] = id.split(' ');
        await switchTo(threadId);
        enterRelay(rest.join(' '));
      },
    });
  }

  /** The messages that wait: edit, delete, send now, reorder. Nothing is sent while it is open. */
  async queue(): Promise<void> {
    const { list, draft, queue, run, note } = this.#host;
    if (queue.items.length === 0) return note('No message waits.');
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
      close: () => void queue.resume('list', 'stop').catch((error: unknown) => note(errorText(error), 'error')),
      on: {
        'list.delete': changed(item => queue.remove(item)),
        'list.move-up': changed(item => queue.move(item, -1)),
        'list.move-down': changed(item => queue.move(item, 1)),
        'list.edit': entry => edit(entry).then(() => 'close'),
        'list.send': changed(async item => {
          if (item.isCommand) run(await queue.edit(item));
          else await queue.sendNow(item);
        }),
      },
    };
    this.#queueList = handlers;
    await queue.pause('list');
    list.open(openPicker({ title: 'Queue', entries: queueEntries(queue.items), hint }), handlers);
  }

  /** Shows what waits now, if the queue is open. */
  queueChanged(): void {
    if (this.#queueList !== undefined) this.#host.list.apply(this.#queueList, this.#queueEntries());
  }

  #queueEntries(): ListChange {
    const { items } = this.#host.queue;
    return items.length === 0 ? 'close' : { entries: queueEntries(items) };
  }

  /** Your messages: go back to one of them, or forward again. */
  async rewind(): Promise<void> {
    const { list, log, clock, note, threadId } = this.#host;
    const id = threadId();
    if (id === undefined) return note('There is nothing to go back to yet.');
    const sent = await SentMessages.open(log, id);
    const canGoForward = await this.#conversations.rewind.canRedo(id);
    const targetOf = ({ messageId, text, at }: SentMessage): RewindTarget => ({
      messageId,
      text,
      age: at === undefined ? '' : ageText(at, clock.now()),
    });
    const shown = () => ({
      title: sent.hasEarlier ? 'Go back to before (↑ reads earlier messages)' : 'Go back to before',
      entries: rewindEntries(sent.messages.map(targetOf), canGoForward),
    });
    const picker = openPicker({ ...shown(), marked: nowEntry, hint: 'type to search · Enter chooses · Esc closes' });
    list.open(picker, {
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
    });
  }

  /** Takes the newest turn back, with its files. */
  async undo(): Promise<void> {
    const id = this.#host.threadId();
    if (id === undefined) return this.#host.note('There is nothing to undo yet.');
    await this.#undo(id, {});
  }

  /** Takes up again what the last undo took back. */
  async redo(): Promise<void> {
    const { threadId, note, switchTo } = this.#host;
    const id = threadId();
    if (id === undefined) return note('There is nothing to redo.');
    const { threadId: next, changed, warnings } = await this.#conversations.redo(id);
    await switchTo(next);
    note(`Forward again${filesText(changed)}.`);
    for (const warning of warnings) note(warning, 'warning');
  }

  /** Goes back to before the message in whose turn earlier messages were summarised last; the files stay. */
  async expand(): Promise<void> {
    const { threadId, summarisedIn, note } = this.#host;
    const id = threadId();
    const messageId = summarisedIn();
    if (id === undefined || messageId === undefined) return note('No messages were summarised lately.');
    await this.#undo(id, { messageId, scope: 'conversation' });
  }

  async #chooseScope(threadId: string, { id: messageId }: PickerEntry): Promise<void> {
    const { list } = this.#host;
    const { folders } = await this.#conversations.rewind.previewUndo(threadId, messageId);
    const entries = scopeEntries(folders.flatMap(({ files }) => files));
    const picker = openPicker({ title: 'Take back', entries, showsPreview: true, hint: 'Enter chooses · Esc closes' });
    list.open(picker, { choose: ({ id }) => this.#undo(threadId, { messageId, scope: id as RewindScope }) });
  }

  async #undo(threadId: string, options: { readonly messageId?: string; readonly scope?: RewindScope }): Promise<void> {
    const { switchTo, note, draft } = this.#host;
    const { threadId: next, message, changed, warnings } = await this.#conversations.undo(threadId, options);
    if (next !== threadId) {
      await switchTo(next);
      // The message returns, to be edited and sent again.
      if (draft.isEmpty) draft.replace(message);
    }
    note(`Went back${filesText(changed)}. /redo goes forward again.`);
    if (options.scope !== 'conversation') for (const warning of warnings) note(warning, 'warning');
  }

  async #threadEntries(): Promise<readonly PickerEntry[]> {
    const { harness, log, cwd, clock, threadId } = this.#host;
    const states = new Map<string, ConversationState>();
    for (const thread of await this.#conversations.active())
      states.set(thread.id, (await this.#conversations.status(thread)).state);
    const threads = await Promise.all(
      (await harness().listThreads()).map(async ({ id, title, updatedAt }): Promise<ListedThread> => {
        const thread = await log.getThread(id);
        return {
          id,
          title,
          folder: thread && (await this.#digests.findStartFolder(thread)),
          updatedAt: updatedAt.getTime(),
          state: states.get(id) ?? 'idle',
          isOpen: id === threadId(),
        };
      }),
    );
    return threadEntries(threads, cwd, clock.now());
  }
}

function filesText(changed: readonly string[]): string {
  return changed.length === 0 ? '' : ` with ${changed.length} ${changed.length === 1 ? 'file' : 'files'}`;
}
