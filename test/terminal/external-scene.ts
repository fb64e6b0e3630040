import { rmSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import type { ModelScript } from '../../src/testing/index.ts';
import { realProgram } from '../cli-agents/support/real-program.ts';
import { ChatScene } from './chat-scene.ts';
import type { Tmux } from './in-tmux.ts';

/** A chat with a real program whose model is scripted; `act` and `answer` are what a person does. */
export class ExternalScene {
  readonly chat: ChatScene;
  readonly #home: string;

  private constructor(chat: ChatScene, home: string) {
    this.chat = chat;
    this.#home = home;
  }

  static async start(program: string, script: ModelScript, tmux?: Tmux): Promise<ExternalScene> {
    let home = '';
    const env = (url: string) => {
      const { executable = '', cwd, env: own } = realProgram(program, url);
      home = dirname(cwd);
      return { ...own, ...tmux?.env, PATH: `${dirname(executable)}${delimiter}${process.env['PATH'] ?? ''}` };
    };
    const model = program === 'claude' ? ['--model', 'claude-sonnet-4-5'] : [];
    const through = tmux === undefined ? {} : { through: tmux.through };
    const chat = await ChatScene.start(script, { env, args: [program, ...model], ...through });
    const scene = new ExternalScene(chat, home);
    await chat.shows('Enter sends');
    return scene;
  }

  /** Types, and waits for what the screen shows then. */
  async act(keys: string, expected: string | RegExp): Promise<void> {
    this.chat.type(keys);
    await this.chat.shows(expected);
  }

  /** Goes to what waits, once it is shown. */
  async enter(waiting: string | RegExp): Promise<void> {
    await this.chat.shows(waiting);
    await this.chat.shows(/Alt\+A answers|y once|y approve|1-9 or/);
    await this.act('\u001ba', /y once|y approve|1-9 or/);
  }

  /** Goes to what waits, and presses a key. */
  async answer(waiting: string | RegExp, key: string, expected: string | RegExp): Promise<void> {
    await this.enter(waiting);
    await this.act(key, expected);
  }

  /** Waits for the end of the turn: a message before it would reach that turn. */
  rest(): Promise<void> {
    return this.chat.rest();
  }

  /** What can be scrolled to, without what differs from run to run: times, costs, paths and the spinner. */
  screen(): string[] {
    const lines = this.chat.scrollback().map(line =>
      line
        .replaceAll(this.chat.cwd, '$CWD')
        .replaceAll(this.#home, '$HOME')
        .replaceAll(/(?<=^| )[\d.]+ (?:ms|s)\b/g, 'T')
        .replaceAll(/(?:< )?\$0\.\d+/g, '$0')
        .replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /, '⠋ ')
        .replace('answer · T', 'answer')
        .trimEnd(),
    );
    const rule = lines.findLastIndex(line => line.startsWith('───'));
    return lines
      .map((line, at) => (at === rule ? '───' : line))
      .join('\n')
      .trimEnd()
      .replace(/ in\s+\$CWD\s+·\s+Enter\s+sends,\s+\?\s+shows\s+the\s+keys/, ' in $CWD · Enter sends, ? shows the keys')
      .split('\n');
  }

  /** Whether the newest request to the model, beside those for titles and the like, contains a text. */
  hasAsked(text: string): boolean {
    const newest = this.chat.server.requests.findLast(({ seen }) => seen !== undefined && seen.toolNames.length > 0);
    return JSON.stringify(newest?.body).includes(text);
  }

  /** Ends the chat, which ends its programs, and removes their home. */
  async close(): Promise<void> {
    if (this.chat.exitCode === undefined) process.kill(this.chat.pid, 'SIGTERM');
    await this.chat.ended();
    await this.chat.close();
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }
}
