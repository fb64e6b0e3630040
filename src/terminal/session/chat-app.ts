import { join } from 'node:path';
import { errorText } from '../../base/error-text.ts';
import { shortFolder } from '../../control/same-folder.ts';
import { standardOutput } from '../../control/standard-output.ts';
import { HistoryFile } from '../composer/history.ts';
import { Chat } from './chat.ts';
import { runCommand } from './chat-commands.ts';
import { drawChat } from './chat-drawing.ts';
import { ChatInput } from './chat-input.ts';
import type { ChatOptions } from './chat-options.ts';
import { LiveScreen } from './live-screen.ts';
import { closingReason, handleExits, stopProcess } from './process-exits.ts';
import { storeText, StoreWatch } from './store-watch.ts';
import { TerminalIo } from './terminal-io.ts';

/** How often the line about what runs is drawn again, in milliseconds. */
const tickMs = 200;

/** The chat in a terminal, from its first frame to the state in which it leaves the terminal. */
export class ChatApp {
  readonly #options: ChatOptions;
  readonly #screen: LiveScreen;
  readonly #chat: Chat;
  readonly #input: ChatInput;
  #stopTick: (() => void) | undefined;
  #end: (code: number) => void = () => {};

  private constructor(options: ChatOptions, history: HistoryFile) {
    this.#options = options;
    const { clock, styling } = options;
    this.#screen = new LiveScreen({
      io: new TerminalIo(),
      clock,
      styling,
      takeRows: () => this.#chat.threads.follower?.takeRows() ?? [],
      live: () => {
        this.#chat.showBand();
        return drawChat(this.#chat);
      },
    });
    this.#chat = new Chat(options, {
      screen: this.#screen,
      history,
      quit: () => this.#end(0),
      suspend: this.#suspend,
      onChange: () => {
        this.#runQueuedCommand();
        this.#screen.request();
      },
    });
    this.#input = new ChatInput(this.#chat);
  }

  /** Runs a chat until the person quits; returns the exit code. */
  static async run(options: ChatOptions): Promise<number> {
    const app = new ChatApp(options, await HistoryFile.open(join(options.home, 'history.jsonl')));
    return app.#run();
  }

  async #run(): Promise<number> {
    const { threadId, agent, problems = [], cwd, clock } = this.#options;
    const [chat, screen] = [this.#chat, this.#screen];
    const { io } = screen;
    const ended = new Promise<number>(resolve => (this.#end = resolve));
    const release = handleExits({
      end: this.#end,
      fail: error => {
        chat.note(`Something failed that should not: ${errorText(error)}`, 'error');
        this.#end(1);
      },
      suspend: this.#suspend,
    });
    io.enter(bytes => this.#input.write(bytes));
    const stopResize = io.onResize(() => (chat.transcript.isOpen ? chat.transcript.resize() : screen.request()));
    chat.note(`${agent.id} in ${shortFolder(cwd)} · Enter sends, ? shows the keys`);
    for (const problem of problems) chat.note(problem, 'warning');
    if (threadId !== undefined) chat.attempt(() => chat.open(threadId, agent));
    screen.draw();
    if (this.#options.isFullscreen === true) screen.fullscreen(true);
    this.#tick();
    this.#options.storeNotices(text => chat.note(text, 'warning'));
    const store = new StoreWatch({
      probe: this.#options.probeStore,
      clock,
      onChange: problem => chat.note(storeText(problem), problem === undefined ? 'info' : 'error'),
    });
    const code = await ended;
    store.stop();
    this.#stopTick?.();
    stopResize();
    try {
      const last = this.#lastLines();
      chat.transcript.close();
      screen.finish();
      io.leave();
      for (const line of last) await standardOutput.write(`${line}\n`);
    } finally {
      io.leave();
      // The terminal is already restored, so errors are ignored: the log has the state, and the next start continues
      // from it.
      await chat.queue.close().catch(() => {});
      await chat.threads.close(closingReason(code, this.#options)).catch(() => {});
      await chat.draft.close();
      release();
    }
    return code;
  }

  /** Suspends the program as the shell expects it. */
  readonly #suspend = (): void => {
    const { transcript } = this.#chat;
    this.#screen.leave();
    stopProcess(this.#suspend, () => {
      this.#screen.enter();
      if (transcript.isOpen) transcript.resize();
      else this.#screen.resume();
    });
  };

  /** Returns the lines to print after the chat ends: how to resume, pending relays, and unfinished turns. */
  #lastLines(): string[] {
    const { threads } = this.#chat;
    const { threadId, pending, background, isRunning } = threads;
    if (threadId === undefined) return [];
    const lines = [`Resume with: ${this.#options.resumeCommand(threadId, threads.agent.id)}`];
    if (pending.length > 0) lines.push(`${pending.length} waiting for your answer: singletree inbox`);
    const runs = background.length + (isRunning ? 1 : 0);
    if (runs > 0)
      lines.push(`${runs === 1 ? 'A turn was' : `${runs} turns were`} under way: resuming the thread continues it.`);
    return lines;
  }

  /** A command is about the screen: it waits until its thread is shown and its turn has ended. */
  #runQueuedCommand(): void {
    const { threads, queue } = this.#chat;
    const command = threads.isRunning ? undefined : queue.takeCommand();
    if (command !== undefined) runCommand(this.#chat, command);
  }

  /** The line about what runs changes with time, and a run ends a little after its last event. */
  #tick(): void {
    this.#stopTick = this.#options.clock.after(tickMs, () => {
      if (this.#chat.threads.isRunning) this.#screen.request();
      this.#runQueuedCommand();
      this.#tick();
    });
  }
}
