import { shortFolder } from '../../control/same-folder.ts';
import { join } from 'node:path';
import { errorText } from '../../base/error-text.ts';
import { isStoreUnavailable } from '../../base/singletree-error.ts';
import { userContent } from '../../control/harness/messages/message-content.ts';
import { workspace } from '../../agents/workspace/workspace-folder.ts';
import { FileIndex } from '../../agents/workspace/file-index.ts';
import { emptyComposer, type Submission, wholeText } from '../composer/composer.ts';
import { DraftStore } from '../composer/draft-store.ts';
import { HistoryFile } from '../composer/history.ts';
import { type KeyMap, keyMap } from '../keys/key-map.ts';
import type { Density } from '../rows/tool-row.ts';
import { type CallPlace, oneLine } from '../../projections/presentation/present-call.ts';
import type { Frame } from '../screen/inline-renderer.ts';
import { argumentValues } from './argument-values.ts';
import { attachedFiles, mentionedFiles } from './message-files.ts';
import { runCommand } from './chat-commands.ts';
import { ChatLists } from './chat-lists.ts';
import type { ChatAgent, ChatOptions } from './chat-options.ts';
import { ChatScreen } from './chat-screen.ts';
import { ChatThreads } from './chat-threads.ts';
import { ChatDrawing } from './chat-drawing.ts';
import { ChatInput } from './chat-input.ts';
import { DraftInput } from './draft-input.ts';
import { editInEditor } from './external-editor.ts';
import { noteRow } from '../rows/row.ts';
import { PersonShell } from './person-shell.ts';
import { closingReason, handleExits, stopProcess } from './process-exits.ts';
import { type Band, newBand, nextBand } from './relay-band.ts';
import { OpenList } from '../pickers/list-picker.ts';
import { storeText, StoreWatch } from './store-watch.ts';
import { TerminalIo } from './terminal-io.ts';
import { ThreadQueue } from './thread-queue.ts';
import { Transcript } from './transcript.ts';
import { standardOutput } from '../../control/standard-output.ts';

/** How often the line about what runs is drawn again, in milliseconds. */
const tickMs = 200;

/** The chat in a terminal: the state that is not in the log, what the person can do, and what is drawn. */
export class ChatApp {
  readonly options: ChatOptions;
  readonly io: TerminalIo;
  readonly screen: ChatScreen;
  readonly threads: ChatThreads;
  readonly queue: ThreadQueue;
  readonly keys: KeyMap;
  readonly draft: DraftInput;
  readonly list: OpenList;
  readonly lists: ChatLists = new ChatLists(this);
  readonly shell: PersonShell = new PersonShell(this);
  readonly transcript: Transcript = new Transcript(this);
  readonly #input: ChatInput;
  readonly #drawing: ChatDrawing = new ChatDrawing(this);
  #stopTick: (() => void) | undefined;
  #quit: (code: number) => void = () => {};
  #code = 0;

  band: Band | undefined;
  showsTasks = false;
  density: Density;
  notice: string | undefined;
  private constructor(options: ChatOptions, history: HistoryFile) {
    this.options = options;
    this.io = new TerminalIo();
    const { clock, styling, log, cwd, home } = options;
    this.density = options.density ?? 'normal';
    this.keys = keyMap(options.keys);
    this.list = new OpenList(
      () => this.screen.request(true),
      error => this.note(errorText(error), 'error'),
    );
    this.draft = new DraftInput({
      history,
      drafts: new DraftStore(join(home, 'drafts')),
      files: new FileIndex(workspace(cwd), clock),
      folder: cwd,
      clock,
      values: argumentValues(() => this.threads, options),
      onChange: () => this.screen.request(true),
    });
    this.screen = new ChatScreen({
      io: this.io,
      clock,
      styling,
      takeRows: () => this.#drawing.takeRows(),
      live: () => this.#draw(),
    });
    this.threads = new ChatThreads({
      ...options,
      snapshots: join(home, 'snapshots'),
      onCreate: threadId => this.draft.belongTo(threadId),
      onChange: () => this.#changed(),
      onLost: error => this.note(`The thread cannot be followed any more: ${errorText(error)}`, 'error'),
    });
    this.queue = new ThreadQueue({
      log,
      clock,
      conversations: this.threads.conversations,
      onChange: () => this.#queueChanged(),
      onError: error => this.note(errorText(error), 'error'),
      onProblem: problem => this.note(problem, 'warning'),
    });
    this.#input = new ChatInput(this);
  }

  /** Runs a chat until the person quits; returns the exit code. */
  static async run(options: ChatOptions): Promise<number> {
    const app = new ChatApp(options, await HistoryFile.open(join(options.home, 'history.jsonl')));
    return app.#run();
  }

  /** The agent that works in the open thread, and its folder. */
  get place(): CallPlace {
    return { agentId: this.threads.agent.id, cwd: this.options.cwd };
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

  /** Sends a message: to the turn that runs at its next safe point, else as a new turn; what waits is sent, too. */
  async send(text: string, attachments: Submission['attachments'] = []): Promise<void> {
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

  /** Begins a new thread; a turn that runs goes on in the background. */
  async startNew(title = ''): Promise<void> {
    this.threads.startNew();
    await this.draft.open('new');
    this.band = undefined;
    if (title !== '') await this.ensureThread(title);
    this.note(title === '' ? 'New thread.' : `New thread: ${title}`);
  }

  /** Continues the thread that is shown with an agent; begins a new one where a turn runs, which goes on in the background. */
  async switchAgent(agentId: string): Promise<void> {
    const agent = await this.options.agents.open(agentId);
    if (this.threads.continueWith(agent)) return this.note(`${agentId} continues this thread.`);
    this.threads.startNew(agent);
    await this.draft.open('new');
    this.band = undefined;
    this.note(`New thread with ${agentId}.`);
  }

  async switchModel(modelId: string): Promise<void> {
    await this.threads.switchModel(modelId);
    // The log of a thread has the change, which is a row.
    if (this.threads.threadId === undefined) this.note(`Model: ${modelId}`);
  }

  /** Lets the person edit a text in the editor; undefined when it failed. */
  edit(text: string, name: string): Promise<string | undefined> {
    return this.lendTerminal(() => editInEditor(text, name));
  }

  /** Lets something else use the terminal until it is done. */
  async lendTerminal<Result>(use: () => Promise<Result>): Promise<Result> {
    this.screen.pause();
    this.io.leave();
    try {
      return await use();
    } finally {
      this.#enter();
      this.screen.resume();
    }
  }

  async editDraft(): Promise<void> {
    const text = await this.edit(wholeText(this.draft.composer), 'message.md');
    if (text !== undefined) this.draft.replace(text.trimEnd());
  }

  /** Suspends the program as the shell expects it. */
  readonly suspend = (): void => {
    const wasOpen = this.transcript.isOpen;
    this.screen.pause();
    this.io.leave();
    stopProcess(this.suspend, () => {
      this.#enter();
      if (wasOpen) this.transcript.reenter();
      else this.screen.resume();
    });
  };

  quit(code = 0): void {
    this.#code = code;
    this.#quit(code);
  }

  async #run(): Promise<number> {
    const { threadId, agent, problems = [], cwd } = this.options;
    const done = new Promise<number>(resolve => (this.#quit = resolve));
    const release = handleExits({
      end: code => this.quit(code),
      fail: error => this.#crash(error),
      suspend: this.suspend,
    });
    this.#enter();
    const stopResize = this.io.onResize(() =>
      this.transcript.isOpen ? this.transcript.resize() : this.screen.request(),
    );
    this.note(`${agent.id} in ${shortFolder(cwd)} · Enter sends, ? shows the keys`);
    for (const problem of problems) this.note(problem, 'warning');
    if (threadId !== undefined) this.attempt(() => this.open(threadId, agent));
    this.screen.draw();
    if (this.options.isFullscreen === true) this.screen.fullscreen(true);
    this.#tick();
    this.options.storeNotices(text => this.note(text, 'warning'));
    const store = new StoreWatch({
      probe: this.options.probeStore,
      clock: this.options.clock,
      onChange: problem => this.note(storeText(problem), problem === undefined ? 'info' : 'error'),
    });
    await done;
    store.stop();
    this.#stopTick?.();
    stopResize();
    try {
      const last = this.#lastLines();
      this.transcript.close();
      this.screen.finish();
      this.io.leave();
      for (const line of last) await standardOutput.write(`${line}\n`);
    } finally {
      this.io.leave();
      // The terminal is left already: what cannot be closed in order is in the log, and the next start goes on from there.
      await this.queue.close().catch(() => {});
      await this.threads.close(closingReason(this.#code, this.options)).catch(() => {});
      await this.draft.close();
      release();
    }
    return this.#code;
  }

  #enter(): void {
    this.io.enter(bytes => this.#input.write(bytes));
    this.io.alternate(this.screen.isFullscreen);
  }

  #crash(error: unknown): void {
    this.note(`Something failed that should not: ${errorText(error)}`, 'error');
    this.quit(1);
  }

  /** What a person needs to know after the end: how to come back, and what is left undone. */
  #lastLines(): string[] {
    const threadId = this.threads.follower?.threadId;
    if (threadId === undefined) return [];
    const lines = [`Resume with: ${this.options.resumeCommand(threadId, this.threads.agent.id)}`];
    if (this.threads.pending.length > 0)
      lines.push(`${this.threads.pending.length} waiting for your answer: singletree inbox`);
    const runs = this.threads.background.length + (this.threads.isRunning ? 1 : 0);
    if (runs > 0)
      lines.push(`${runs === 1 ? 'A turn was' : `${runs} turns were`} under way: resuming the thread continues it.`);
    return lines;
  }

  /** Creates a thread for a first text, unless one is open. Returns its id. */
  ensureThread(text: string): Promise<string> {
    return this.threads.ensureThread(oneLine(text, 80));
  }

  /** Goes to a question of the thread that is shown. */
  enterRelay(relayId: string): void {
    const entry = this.threads.pending.find(({ id }) => id === relayId);
    if (entry !== undefined) this.band = newBand(entry, emptyComposer);
  }

  /** Draws the live area: from then on keys answer the question that it shows. */
  #draw(): Omit<Frame, 'printed'> {
    const { band, draft } = this;
    if (band !== undefined) this.band = { ...band, draft: band.draft ?? draft.composer };
    return this.#drawing.live();
  }

  #changed(): void {
    const before = this.band?.relayId;
    this.band = nextBand(this.band, this.threads.pending, this.draft.composer);
    if (this.band !== undefined && this.band.relayId !== before) this.#input.relayAppeared();
    this.queue.follow(this.threads.follower);
    this.#runQueuedCommand();
    this.screen.request();
  }

  #queueChanged(): void {
    this.lists.queueChanged();
    this.#runQueuedCommand();
    this.screen.request();
  }

  /** A command is about the screen: it waits until its thread is shown and its turn has ended. */
  #runQueuedCommand(): void {
    const command = this.threads.isRunning ? undefined : this.queue.takeCommand();
    if (command !== undefined) runCommand(this, command);
  }

  /** The line about what runs changes with time, and a run ends a little after its last event. */
  #tick(): void {
    this.#stopTick = this.options.clock.after(tickMs, () => {
      if (this.threads.isRunning) this.screen.request();
      this.#runQueuedCommand();
      this.#tick();
    });
  }
}
