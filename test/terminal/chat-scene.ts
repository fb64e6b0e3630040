import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { afterEach } from 'vitest';
import { bareEnvironment } from '../support/bare-environment.ts';
import {
  type ModelScript,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from '../../src/testing/index.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Where a chat runs, for a program that does not pass it on. */
export interface ScenePlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface SceneOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** Variables to add; those that a program needs to reach the scripted model depend on its address. */
  readonly env?: Readonly<Record<string, string>> | ((url: string) => Readonly<Record<string, string>>);
  readonly args?: readonly string[];
  /** The text of the configuration in the home folder. */
  readonly config?: string;
  readonly server?: Omit<ScriptedServerOptions, 'script'>;
  /** The program and arguments that run the chat instead of Node. */
  readonly through?: (line: readonly string[], place: ScenePlace) => readonly string[];
  /** What the first screen shows, when it is not that of the chat. */
  readonly first?: string;
}

/** Returns what starts a chat and waits for its first screen; each is closed after its test. */
export function useChats(): (script: ModelScript, options?: SceneOptions) => Promise<ChatScene> {
  const scenes: ChatScene[] = [];
  afterEach(async () => {
    for (const scene of scenes.splice(0)) await scene.close();
  });
  return async (script, options = {}) => {
    const scene = await ChatScene.start(script, options);
    scenes.push(scene);
    await scene.shows(options.first ?? 'Enter sends');
    return scene;
  };
}

/** The answer of a scripted model that calls one tool. */
export const call = (name: string, input: object) => [{ toolCall: { name, input } }];

/** A person at a terminal with `singletree chat`: keys go in, a screen comes out. */
export class ChatScene {
  readonly server: ScriptedServer;
  readonly cwd: string;
  readonly home: string;
  readonly #options: SceneOptions;
  readonly #env: Readonly<Record<string, string>>;
  /** Everything that the program wrote. */
  bytes = '';
  exitCode: number | undefined;
  #pty!: IPty;
  #screen!: InstanceType<typeof headless.Terminal>;
  readonly #waiting = new Set<() => void>();

  private constructor(server: ScriptedServer, folder: string, options: SceneOptions) {
    this.server = server;
    this.#options = options;
    this.#env = typeof options.env === 'function' ? options.env(server.url) : (options.env ?? {});
    [this.cwd, this.home] = [join(folder, 'project'), join(folder, 'home')];
    mkdirSync(this.cwd);
    if (options.config === undefined) return;
    mkdirSync(this.home);
    writeFileSync(join(this.home, 'singletree.config.mjs'), options.config);
  }

  static async start(script: ModelScript, options: SceneOptions = {}): Promise<ChatScene> {
    const server = await startScriptedServer({ ...options.server, script });
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-chat-')));
    const scene = new ChatScene(server, folder, options);
    scene.launch(options.args ?? []);
    return scene;
  }

  /** Starts the program, again after it ended. */
  launch(args: readonly string[]): void {
    const { columns: cols = 80, rows = 24, through = line => line } = this.#options;
    const env = {
      ...bareEnvironment(),
      HOME: this.home,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      SINGLETREE_HOME: this.home,
      OPENAI_API_KEY: 'sk-scripted-key',
      OPENAI_BASE_URL: `${this.server.url}/v1`,
      ...this.#env,
    };
    const [file = '', ...rest] = through([process.execPath, command, 'chat', ...args], { cwd: this.cwd, env });
    this.exitCode = undefined;
    this.#screen = new headless.Terminal({ cols, rows, scrollback: 50_000, allowProposedApi: true });
    this.#pty = spawn(file, rest, {
      cols,
      rows,
      cwd: this.cwd,
      name: 'xterm-256color',
      env,
    });
    this.#pty.onData(data => {
      this.bytes += data;
      this.#screen.write(data, () => this.#changed());
    });
    this.#pty.onExit(({ exitCode }) => {
      this.exitCode = exitCode;
      this.#changed();
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Types, or sends the bytes of keys. */
  type(text: string): void {
    this.#pty.write(text);
  }

  /** Types, and waits for what the screen shows then. */
  async act(keys: string, expected: Parameters<ChatScene['shows']>[0]): Promise<void> {
    this.type(keys);
    await this.shows(expected);
  }

  /** Writes a message, and sends it when the composer has it. */
  async say(text: string): Promise<void> {
    await this.act(text, `› ${text}`);
    this.type('\r');
  }

  /** Waits for the end of the turn: a message before it would reach that turn. */
  rest(): Promise<void> {
    return this.shows(screen => !/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /m.test(screen));
  }

  /** Closes the terminal, as a person who closes its window. */
  closeWindow(): void {
    (this.#pty as IPty & { destroy(): void }).destroy();
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
    this.#screen.resize(columns, rows);
  }

  /** The visible lines. */
  screen(): string[] {
    const { buffer, rows, cols } = this.#screen;
    const { viewportY } = buffer.active;
    // Lines of the alternate screen keep what was beyond the edge of a smaller window.
    return Array.from(
      { length: rows },
      (_, row) => buffer.active.getLine(viewportY + row)?.translateToString(true, 0, cols) ?? '',
    );
  }

  /** Everything that can be scrolled to, wrapped lines joined. */
  scrollback(): string[] {
    const buffer = this.#screen.buffer.normal;
    const lines: string[] = [];
    for (let row = 0; row < buffer.length; row++) {
      const line = buffer.getLine(row);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped === true && lines.length > 0) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    return lines;
  }

  get isAlternate(): boolean {
    return this.#screen.buffer.active.type === 'alternate';
  }

  /** Resolves when the screen shows a text, or a test of it is true. */
  shows(expected: string | RegExp | ((screen: string) => boolean), withinMs = 25_000): Promise<void> {
    const isShown = () => {
      const screen = this.screen().join('\n');
      if (typeof expected === 'function') return expected(screen);
      return typeof expected === 'string' ? screen.includes(expected) : expected.test(screen);
    };
    const problem = () => `the screen never showed ${String(expected)}:\n${this.screen().join('\n')}`;
    return this.until(isShown, problem, withinMs);
  }

  ended(): Promise<void> {
    return this.until(
      () => this.exitCode !== undefined,
      () => `it did not end:\n${this.screen().join('\n')}`,
    );
  }

  async until(
    isTrue: () => boolean,
    problem: () => string = () => `it never came true:\n${this.screen().join('\n')}`,
    withinMs = 25_000,
  ): Promise<void> {
    let check = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(problem())), withinMs);
        check = () => {
          if (!isTrue()) return;
          clearTimeout(timer);
          resolve();
        };
        this.#waiting.add(check);
        check();
      });
    } finally {
      this.#waiting.delete(check);
    }
  }

  async close(): Promise<void> {
    if (this.exitCode === undefined) this.#pty.kill('SIGKILL');
    await this.server.close();
    rmSync(join(this.cwd, '..'), { recursive: true, force: true, maxRetries: 5 });
  }

  #changed(): void {
    for (const check of this.#waiting) check();
  }
}
