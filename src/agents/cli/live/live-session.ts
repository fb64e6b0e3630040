import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessExit, ProcessLine } from '../../process/run-process.ts';
import type {
  ChannelHost,
  LiveAdapter,
  LiveChannel,
  LiveStart,
  LiveTurn,
  SessionInfo,
  SessionProblem,
} from '../contract/live-channel.ts';
import { serveTransport } from './serve-transport.ts';
import { type ChannelTransport, stdioTransport, type TransportOptions } from './channel-transport.ts';

/** How messages travel, by the transport that an adapter names. */
const transports: Readonly<Record<LiveAdapter['transport'], (options: TransportOptions) => ChannelTransport>> = {
  stdio: stdioTransport,
  serve: serveTransport,
};

/** The run that uses a session: it receives the lines, the calls of the channel, and the end of the program. */
export interface SessionUser extends Omit<ChannelHost, 'send' | 'after' | 'ready' | 'failed'> {
  /** Handles a line; the next one is read when it resolves. Never rejects. */
  line(line: ProcessLine): Promise<void>;
  /** Called when the session is no longer usable. */
  failed(problem: SessionProblem): void;
  /** The program has ended. */
  exited(exit: ProcessExit): void;
}

export interface LiveSessionOptions {
  readonly live: LiveAdapter;
  readonly start: Omit<LiveStart, 'folder'>;
  /** Returns how the program is started, with the arguments and variables of its adapter. */
  readonly process: (command: {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>> | undefined;
  }) => TransportOptions;
  /** How long the program may take until prompts can be sent, and the problem when it takes longer. */
  readonly openLimit: { readonly ms: number; readonly problem: SessionProblem };
}

/**
 * A running program with its channel, kept over several turns. One run uses it at a time; lines that arrive meanwhile
 * wait for the next run.
 */
export class LiveSession {
  readonly channel: LiveChannel;
  /** Resolves when prompts may be sent, or with the problem that prevents it; never rejects. */
  readonly opened: Promise<SessionInfo | { readonly problem: SessionProblem }>;
  /** Resolves when the program has ended and its folder is removed; never rejects. */
  readonly ended: Promise<void>;
  readonly #transport: ChannelTransport;
  readonly #folder: string;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #user: SessionUser | undefined;
  /** Whether lines are passed on: while the session opens, and from a prompt until its turn has ended. */
  #isReading = true;
  #wake: () => void = () => {};
  #isEnding = false;
  #problem: SessionProblem | undefined;
  #settleOpening: (result: SessionInfo | { readonly problem: SessionProblem }) => void = () => {};
  #openTimer: ReturnType<typeof setTimeout> | undefined;
  /** Begins the time limit of the opening, after a delay that does not count. */
  #limitOpening: (delayMs: number) => void = () => {};

  private constructor(options: LiveSessionOptions, folder: string, user: SessionUser) {
    const { live, start: settings, process, openLimit } = options;
    const start = { ...settings, folder };
    const { args, env } = live.command(start);
    this.#folder = folder;
    this.#user = user;
    this.opened = new Promise(resolve => {
      this.#settleOpening = result => {
        this.#limitOpening = () => {};
        clearTimeout(this.#openTimer);
        resolve(result);
      };
    });
    this.#limitOpening = delayMs => {
      clearTimeout(this.#openTimer);
      this.#openTimer = setTimeout(() => this.#fail(openLimit.problem), delayMs + openLimit.ms);
    };
    this.#limitOpening(0);
    this.#transport = transports[live.transport]({ ...process({ args, env }), serve: live.serve });
    this.channel = live.channel(this.#host, start);
    this.ended = this.#pump();
    this.channel.open();
  }

  /** Starts the program for a first run. Throws when its files cannot be written. */
  static async open(options: LiveSessionOptions, user: SessionUser): Promise<LiveSession> {
    const folder = await mkdtemp(join(tmpdir(), 'singletree-session-'));
    try {
      const start = { ...options.start, folder };
      const { files = {} } = options.live.command(start);
      options.live.prepare?.(start);
      for (const [name, content] of Object.entries(files))
        await writeFile(join(folder, name), content, { mode: 0o600 });
      return new LiveSession(options, folder, user);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Whether another turn can begin. */
  get isUsable(): boolean {
    return !this.#isEnding && this.#problem === undefined && this.#transport.isRunning;
  }

  /** Makes a run the user of the session; lines that have arrived wait for its prompt. */
  enter(user: SessionUser): void {
    this.#user = user;
    this.#transport.keepAlive(true);
  }

  /** Begins a turn of the run that uses the session. */
  prompt(turn: LiveTurn): void {
    this.#transport.turns.work();
    this.channel.prompt(turn);
    this.#isReading = true;
    this.#wake();
  }

  /** Registers that the session is open and no turn has begun. */
  ready(): Promise<void> {
    return this.#transport.turns.ready();
  }

  /**
   * Ends the work of the turns of a run: what they left running stays, unless the run was stopped. Returns whether the
   * program can be kept: not when something of a stopped turn still runs.
   */
  async endWork({ isStopped }: { readonly isStopped: boolean }): Promise<boolean> {
    if (isStopped) return this.#transport.turns.isIdle();
    await this.#transport.turns.rest();
    return true;
  }

  /** Ends the use: later lines wait for the next run, and this process does not stay alive for the session. */
  leave(): void {
    this.#user = undefined;
    this.#isReading = false;
    this.#transport.keepAlive(false);
  }

  /** Ends the program with everything it started. */
  async dispose(): Promise<void> {
    this.#isEnding = true;
    this.#wake();
    await this.#transport.dispose();
    await this.ended;
  }

  readonly #host: ChannelHost = {
    send: message => this.#transport.send(message),
    ready: info => this.#settleOpening(info),
    failed: problem => this.#fail(problem),
    emit: events => this.#user?.emit(events),
    request: request => this.#user?.request(request),
    withdraw: (requestId, reason) => this.#user?.withdraw(requestId, reason),
    steered: (messageId, delivery) => this.#user?.steered(messageId, delivery),
    turnEnded: end => {
      // A line that follows belongs to the next turn, which must not have begun without it.
      this.#isReading = false;
      this.#user?.turnEnded(end);
    },
    waiting: (reason, ms) => {
      this.#limitOpening(ms);
      this.#user?.waiting?.(reason, ms);
    },
    after: (ms, callback) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        callback();
      }, ms);
      this.#timers.add(timer);
      return () => {
        clearTimeout(timer);
        this.#timers.delete(timer);
      };
    },
  };

  #fail(problem: SessionProblem): void {
    this.#problem ??= problem;
    this.#settleOpening({ problem });
    this.#user?.failed(problem);
  }

  async #pump(): Promise<void> {
    for (let line = await this.#transport.next(); line !== undefined; line = await this.#transport.next()) {
      while (!this.#isReading && !this.#isEnding) await new Promise<void>(resolve => (this.#wake = resolve));
      await this.#user?.line(line);
    }
    const exit = await this.#transport.exit;
    this.#isEnding = true;
    for (const timer of this.#timers) clearTimeout(timer);
    // The channel of a program that never ran can only guess why.
    if (exit.failedToStart !== undefined) this.#user?.exited(exit);
    this.channel.closed();
    if (exit.failedToStart === undefined) this.#user?.exited(exit);
    this.#settleOpening({ problem: this.#problem ?? { message: 'The program ended.', code: 'exit_code' } });
    await rm(this.#folder, { recursive: true, force: true }).catch(() => {});
  }
}
