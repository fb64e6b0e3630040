import { join } from 'node:path';
import { workspace } from '../../agents/workspace/workspace-folder.ts';
import { FileIndex } from '../../agents/workspace/file-index.ts';
import { errorText } from '../../base/error-text.ts';
import { isStoreUnavailable } from '../../base/singletree-error.ts';
import { userContent } from '../../control/harness/messages/message-content.ts';
import type { RelayEntry } from '../../projections/relay-book.ts';
import { type CallPlace, oneLine } from '../../projections/presentation/present-call.ts';
import { emptyComposer, type Submission, wholeText } from '../composer/composer.ts';
import { DraftStore } from '../composer/draft-store.ts';
import type { HistoryFile } from '../composer/history.ts';
import type { ActionName } from '../keys/actions.ts';
import { type KeyMap, keyMap } from '../keys/key-map.ts';
import { OpenList } from '../pickers/list-picker.ts';
import { noteRow } from '../rows/row.ts';
import type { Density } from '../rows/tool-row.ts';
import { argumentValues } from './argument-values.ts';
import type { ChatAgent, ChatOptions } from './chat-options.ts';
import type { LiveScreen } from './live-screen.ts';
import { ChatThreads } from './chat-threads.ts';
import { DraftInput } from './draft-input.ts';
import { editInEditor } from './external-editor.ts';
import { attachedFiles, mentionedFiles } from './message-files.ts';
import type { OpenThread } from './open-thread.ts';
import { runShellLine, shellLineContext, shellLineExcerpt } from './person-shell.ts';
import { type Band, newBand, nextBand, takesKeys } from './relay-band.ts';
import { ThreadQueue } from './thread-queue.ts';
import { Transcript } from './transcript.ts';

interface ChatParts {
  readonly screen: LiveScreen;
  readonly history: HistoryFile;
  /** Ends the chat. */
  readonly quit: () => void;
  /** Suspends the program as the shell expects it. */
  readonly suspend: () => void;
  /** Called when the shown thread or its pending relays have changed. */
  readonly onChange: () => void;
}

/** The state of a chat that is not in the log, and what a person can do in it. */
export class Chat {
  readonly options: ChatOptions;
  readonly screen: LiveScreen;
  readonly threads: ChatThreads;
  readonly queue: ThreadQueue;
  readonly keys: KeyMap;
  readonly draft: DraftInput;
  readonly list: OpenList;
  readonly transcript: Transcript;
  readonly quit: () => void;
  readonly suspend: () => void;
  readonly #onChange: () => void;
  /** The thread whose end was reported to be only a part of it. */
  #shown: OpenThread | undefined;
  /** Stops the shell line of the person that runs. */
  #shell: AbortController | undefined;

  /** The question that is shown. */
  band: Band | undefined;
  showsTasks = false;
  density: Density;
  /** A word to the person, until the next key. */
  notice: string | undefined;
  /** Whether the terminal has the focus; a question calls a person who looks elsewhere. */
  isFocused = true;

  constructor(options: ChatOptions, { screen, history, quit, suspend, onChange }: ChatParts) {
    this.options = options;
    this.screen = screen;
    this.quit = quit;
    this.suspend = suspend;
    this.#onChange = onChange;
    const { clock, log, cwd, home } = options;
    this.density = options.density ?? 'normal';
    this.keys = keyMap(options.keys);
    const fail = (error: unknown) => this.note(errorText(error), 'error');
    this.list = new OpenList(() => screen.request(true), fail);
    this.transcript = new Transcript({ ...options, screen });
    this.draft = new DraftInput({
      history,
      drafts: new DraftStore(join(home, 'drafts')),
      files: new FileIndex(workspace(cwd), clock),
      folder: cwd,
      clock,
      values: argumentValues(() => this.threads, options),
      onChange: () => screen.request(true),
    });
    this.threads = new ChatThreads({
      ...options,
      rows: { density: () => this.density, hint: 'Ctrl+O' },
      snapshots: join(home, 'snapshots'),
      onCreate: threadId => this.draft.belongTo(threadId),
      onChange: () => this.#changed(),
      onLost: error => this.note(`The thread cannot be followed any more: ${errorText(error)}`, 'error'),
    });
    this.queue = new ThreadQueue({
      log,
      clock,
      conversations: this.threads.conversations,
      onChange: () => {
        this.list.refresh();
        onChange();
      },
      onError: fail,
      onProblem: problem => this.note(problem, 'warning'),
    });
  }

  /** The agent that works in the open thread, and its folder. */
  get place(): CallPlace {
    return { agentId: this.threads.agent.id, cwd: this.options.cwd };
  }

  /** The question that the band shows. */
  get asked(): RelayEntry | undefined {
    return this.threads.pending.find(({ id }) => id === this.band?.relayId);
  }

  /** Whether keys answer the question that is shown. */
  get isAnswering(): boolean {
    return this.band !== undefined && takesKeys(this.band, this.draft.composer);
  }

  /** Prints a line that is not in the log. */
  note(text: string, level: 'info' | 'warning' | 'error' = 'info'): void {
    this.screen.print(noteRow(text, level));
  }

  /** Does something that may fail: a failure is a row. */
  attempt(doing: () => unknown): void {
    void (async () => {
      try {
        await doing();
      } catch (error) {
        this.note(errorText(error), 'error');
      }
      this.screen.request();
    })();
  }

  /**
   * Sends a message: a running turn gets it at its next safe point, otherwise it starts a turn. Also resumes the queue.
   */
  async send({ text, attachments }: Pick<Submission, 'text' | 'attachments'>): Promise<void> {
    await this.#send(text, attachments, 'steer');
    await this.queue.resume('stop');
  }

  /** Lets a message or a command wait for the end of the turn. */
  async enqueue({ type, text, attachments }: Submission): Promise<void> {
    if (type === 'command') this.queue.addCommand(text);
    else await this.#send(text, attachments, 'follow_up');
  }

  /** Sends a message with the files it mentions; one that could not be stored returns to the composer. */
  async #send(text: string, attachments: Submission['attachments'], delivery: 'steer' | 'follow_up'): Promise<void> {
    const files = await attachedFiles([...attachments, ...(await mentionedFiles(text, this.options.cwd))]);
    try {
      const sent = { text, title: oneLine(text, 80), delivery };
      await this.threads.send(userContent(text, files), sent);
    } catch (error) {
      if (isStoreUnavailable(error) && this.draft.isEmpty) this.draft.replace(text);
      throw error;
    }
  }

  /** Gives a queued message the draft as its new text; one that was sent meanwhile is followed by another one. */
  async finishEditing(sent: Submission): Promise<void> {
    const isMessage = sent.type !== 'command';
    const isChanged = await this.queue.finishEditing(isMessage ? sent.text : undefined);
    if (!isChanged || !isMessage) await this.enqueue(sent);
  }

  /** Stops the turn; partial text, the draft and the queue stay. */
  stop(): void {
    const isPaused = this.queue.items.length > 0;
    if (isPaused) this.notice = 'stopped; the queue waits: /queue';
    this.attempt(async () => {
      if (isPaused) await this.queue.pause('stop');
      await this.threads.stop();
    });
  }

  /** Shows a thread, with an agent or that of the thread; the draft of each is kept. */
  async open(threadId: string, agent?: ChatAgent): Promise<void> {
    await this.threads.switchTo(threadId, agent);
    await this.draft.open(threadId);
    this.#changed();
  }

  /** Starts a new thread; a running turn continues in the background. */
  async startNew(title = ''): Promise<void> {
    await this.#startNew();
    if (title !== '') await this.ensureThread(title);
    this.note(title === '' ? 'New thread.' : `New thread: ${title}`);
  }

  async #startNew(agent?: ChatAgent): Promise<void> {
    this.threads.startNew(agent);
    await this.draft.open('new');
    this.band = undefined;
  }

  /**
   * Continues the shown thread with an agent; while a turn runs, starts a new thread, and the turn continues in the
   * background.
   */
  async switchAgent(agentId: string): Promise<void> {
    const agent = await this.options.agents.open(agentId);
    if (this.threads.continueWith(agent)) return this.note(`${agentId} continues this thread.`);
    await this.#startNew(agent);
    this.note(`New thread with ${agentId}.`);
  }

  async switchModel(modelId: string): Promise<void> {
    await this.threads.switchModel(modelId);
    // The log of a thread has the change, which is a row.
    if (this.threads.threadId === undefined) this.note(`Model: ${modelId}`);
  }

  async switchToNextMode(): Promise<void> {
    const { modes, mode } = this.threads;
    const next = modes[(modes.findIndex(({ id }) => id === mode.id) + 1) % modes.length];
    if (next !== undefined) await this.threads.switchMode(next.id);
  }

  /** Creates a thread for a first text, unless one is open. Returns its id. */
  ensureThread(text: string): Promise<string> {
    return this.threads.ensureThread(oneLine(text, 80));
  }

  /** Goes to a question of the thread that is shown; keys answer it at once when the draft of a message is given. */
  enterRelay(relayId: string | undefined, draft?: Band['draft']): void {
    const entry = this.threads.pending.find(({ id }) => id === relayId);
    if (entry !== undefined) this.band = { ...newBand(entry, emptyComposer), draft };
  }

  /** The question is on the screen: from then on keys answer it. */
  showBand(): void {
    if (this.band !== undefined) this.band = { ...this.band, draft: this.band.draft ?? this.draft.composer };
  }

  /** Lets the person change the arguments of a call in the editor, and runs the call with them. */
  async revise(entry: RelayEntry): Promise<void> {
    const { relay } = entry;
    if (relay.relayKind !== 'permission') return;
    const edited = await this.edit(`${JSON.stringify(relay.params, undefined, 2)}\n`, 'input.json');
    if (edited === undefined) return;
    await this.threads.answer(entry, { type: 'revise', input: JSON.parse(edited) as unknown });
  }

  /** Runs a shell line of the person; unless it is private, the model reads the line and its output. */
  async runShell(line: string, isPrivate: boolean): Promise<void> {
    this.#shell = new AbortController();
    this.notice = `running ${oneLine(line, 40)}: Esc stops it`;
    try {
      const end = await runShellLine(line, this.options.cwd, this.#shell.signal);
      if (isPrivate) return this.note(shellLineExcerpt(line, end), end.exitCode === 0 ? 'info' : 'warning');
      const threadId = await this.ensureThread(line);
      const reminder = { message: shellLineContext(line, end), reminderType: 'shell' };
      await this.threads.conversations.remind(threadId, this.threads.agent.id, reminder);
    } finally {
      this.#shell = undefined;
      this.notice = undefined;
    }
  }

  /** Stops the shell line that runs; false when none does. */
  stopShell(): boolean {
    this.#shell?.abort(new Error('You stopped the shell line.'));
    return this.#shell !== undefined;
  }

  /** Lets the person edit a text in the editor; undefined when it failed. */
  edit(text: string, name: string): Promise<string | undefined> {
    return this.screen.lend(() => editInEditor(text, name));
  }

  async editDraft(): Promise<void> {
    const text = await this.edit(wholeText(this.draft.composer), 'message.md');
    if (text !== undefined) this.draft.replace(text.trimEnd());
  }

  /** Shows the transcript of the open thread. */
  async openTranscript(): Promise<void> {
    const { follower } = this.threads;
    if (follower === undefined) return this.note('The thread has no messages yet.');
    await this.transcript.open(follower);
  }

  /** Does in the transcript what a key means there. */
  actOnTranscript(action: ActionName): void {
    this.attempt(async () => {
      const text = await this.transcript.act(action);
      if (text !== undefined) await this.edit(text, 'transcript.md');
    });
  }

  #changed(): void {
    const before = this.band?.relayId;
    this.band = nextBand(this.band, this.threads.pending, this.draft.composer);
    const isNew = this.band !== undefined && this.band.relayId !== before;
    if (isNew && !this.isFocused) this.screen.io.bell();
    const { follower } = this.threads;
    if (follower !== this.#shown && follower?.hasEarlier === true)
      this.note('Earlier messages are in the transcript: Ctrl+O.');
    this.#shown = follower;
    this.queue.follow(follower);
    this.#onChange();
  }
}
