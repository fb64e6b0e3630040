import { createInterface } from 'node:readline';
import { errorText, SingletreeError } from '../../events/index.ts';
import type { RelayEntry } from '../../projections/index.ts';
import { emptyComposer } from '../composer/composer.ts';
import { RowFeed } from '../rows/row-feed.ts';
import { oneLine } from '../../projections/presentation/present-call.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { textOfLine } from '../screen/styled-line.ts';
import type { ChatOptions } from './chat-options.ts';
import { storeText } from './note-row.ts';
import { closingReason, handleEnd } from './process-exits.ts';
import { answerRelay, type PersonAnswer } from './relay-answer.ts';
import { newBand } from './relay-band.ts';
import { bandLines } from './relay-lines.ts';
import { RowPrinter } from './row-printer.ts';
import { StoreWatch } from './store-watch.ts';
import type { ThreadFollower } from './thread-follower.ts';
import { ThreadHost } from './thread-host.ts';
import { standardOutput } from '../../control/standard-output.ts';

export interface PlainChatOptions extends Omit<ChatOptions, 'styling'> {
  /** Whether a person listens: signs of life, a bell at the end of a turn, what the answers are. */
  readonly isSpoken: boolean;
}

/** How often a turn that takes long shows a sign of life, in milliseconds. */
const heartbeatMs = 30_000;
const width = 100;

/**
 * A chat in plain lines that are only ever appended: for screen readers, and for programs at the other end of a pipe. Each
 * line of the input is a message, or the answer to what waits.
 */
export class PlainChat {
  readonly #options: PlainChatOptions;
  readonly #host: ThreadHost;
  readonly #printer = new RowPrinter();
  #feed: { readonly of: ThreadFollower; readonly rows: RowFeed } | undefined;
  #asked: string | undefined;
  #wasRunning = false;
  /** How many messages were sent whose turn is not over. */
  #turns = 0;
  #hasEnded = false;
  #finish: (code: number) => void = () => {};
  #stopBeat: () => void = () => {};

  private constructor(options: PlainChatOptions) {
    this.#options = options;
    const { log, agent, agents, cwd, clock } = options;
    this.#host = new ThreadHost({
      log,
      agent,
      agents,
      cwd,
      onChange: () => this.#changed(),
      onEvent: event => (event.type === 'error' ? this.#line(`Error: ${event.error.message}`) : this.#changed()),
      clock,
      onLost: error => this.#line(`The thread cannot be followed any more: ${errorText(error)}`),
    });
  }

  /** Runs until the input ends and the last turn is over; returns 1 when something still waits for an answer. */
  static async run(options: PlainChatOptions): Promise<number> {
    const chat = new PlainChat(options);
    return chat.#run();
  }

  async #run(): Promise<number> {
    const { threadId, problems = [], agent, isSpoken } = this.#options;
    const done = new Promise<number>(resolve => (this.#finish = resolve));
    const release = handleEnd(code => this.#finish(code));
    for (const problem of problems) this.#line(`Warning: ${problem}`);
    if (threadId !== undefined) await this.#host.switchTo(threadId, agent);
    if (isSpoken) this.#line(`Chat with ${agent.id}. A line is a message; /quit ends.`);
    this.#beat();
    this.#options.storeNotices(text => this.#line(`Warning: ${text}`));
    const store = new StoreWatch({
      probe: this.#options.probeStore,
      clock: this.#options.clock,
      onChange: problem => this.#line(storeText(problem)),
    });
    const lines = createInterface({ input: process.stdin, terminal: false });
    lines.on(
      'line',
      line => void this.#take(line.trim()).catch((error: unknown) => this.#line(`Error: ${errorText(error)}`)),
    );
    lines.on('close', () => {
      this.#hasEnded = true;
      setImmediate(() => this.#changed());
    });
    const code = await done;
    this.#stopBeat();
    store.stop();
    lines.close();
    const open = this.#host.follower?.threadId;
    if (open !== undefined && isSpoken) this.#line(`Resume with: ${this.#options.resumeCommand(open, agent.id)}`);
    await this.#host.close(closingReason(code, this.#options));
    release();
    return code;
  }

  async #take(line: string): Promise<void> {
    const [waiting] = this.#host.follower?.pending ?? [];
    if (line === '/quit') return this.#finish(0);
    if (line === '/stop') return (await this.#host.ready()).abort();
    if (line === '') return;
    if (waiting !== undefined) return this.#answer(waiting, line);
    this.#turns++;
    await this.#host.ensureThread(oneLine(line, 80)).catch((error: unknown) => {
      this.#turns--;
      throw error;
    });
    void this.#host.harness
      .sendMessage({ content: line })
      .catch((error: unknown) => {
        if (!SingletreeError.is(error, 'run_detached')) this.#line(`Error: ${errorText(error)}`);
      })
      .finally(() => {
        this.#turns--;
        this.#changed();
      });
  }

  async #answer(entry: RelayEntry, line: string): Promise<void> {
    const answer = answerOf(entry, line);
    if (answer === undefined) return this.#line(howToAnswer(entry));
    await answerRelay(await this.#host.ready(), entry, answer);
  }

  get #isRunning(): boolean {
    const { follower, harness } = this.#host;
    return this.#turns > 0 || harness.isRunning() || (follower?.reading.running.length ?? 0) > 0;
  }

  #changed(): void {
    const { follower } = this.#host;
    if (follower === undefined) return this.#endWhenIdle();
    if (this.#feed?.of !== follower)
      this.#feed = { of: follower, rows: new RowFeed({ cwd: this.#options.cwd, times: follower.times }) };
    this.#printer.add(this.#feed.rows.take(follower.reading), width);
    while (this.#printer.hasMore) for (const line of this.#printer.next()) this.#line(textOfLine(line));
    this.#ask(follower.pending);
    const isRunning = this.#isRunning;
    if (this.#wasRunning && !isRunning && this.#options.isSpoken) {
      void standardOutput.write('Done.');
      standardOutput.bell();
      this.#line('');
    }
    this.#wasRunning = isRunning;
    this.#endWhenIdle();
  }

  #ask(pending: readonly RelayEntry[]): void {
    const [first] = pending;
    const { agent, cwd } = this.#options;
    if (first === undefined || first.id === this.#asked) return;
    this.#asked = first.id;
    const lines = bandLines(
      first,
      { ...newBand(first, emptyComposer), focus: 'keys', isLarge: true },
      { index: 0, count: pending.length, width, most: 200, place: { agentId: agent.id, cwd }, takesKeys: false },
    );
    for (const line of lines.slice(0, -1)) this.#line(textOfLine(line).replace('▌ ', ''));
    this.#line(howToAnswer(first));
  }

  /** The input has ended: nobody will answer. */
  #endWhenIdle(): void {
    if (!this.#hasEnded) return;
    if ((this.#host.follower?.pending.length ?? 0) > 0) return this.#finish(1);
    if (!this.#isRunning) this.#finish(0);
  }

  #beat(): void {
    this.#stopBeat = this.#options.clock.after(heartbeatMs, () => {
      if (this.#options.isSpoken && this.#wasRunning) this.#line('Still working.');
      this.#beat();
    });
  }

  #line(text: string): void {
    void standardOutput.write(`${text}\n`);
  }
}

function howToAnswer({ relay }: RelayEntry): string {
  if (relay.relayKind === 'question') return 'Answer with a number or in words.';
  const keys = presentRelay(relay).answers.flatMap(({ outcome, key, label }) =>
    outcome === 'revise' ? [] : [`${key} (${label})`],
  );
  return `Answer ${keys.join(', ')}; after n write a reason if you like.`;
}

/** Returns the answer that a line is; undefined when it is none. */
function answerOf({ relay }: RelayEntry, line: string): PersonAnswer | undefined {
  if (relay.relayKind === 'question') {
    const option = relay.options?.[Number(line) - 1];
    return { type: 'answer', answer: option?.label ?? line };
  }
  if (/^(?:y|yes)$/i.test(line)) return { type: 'approve', remember: 'once' };
  if (/^[ts]$/i.test(line)) return { type: 'approve', remember: 'thread' };
  if (/^[ca]$/i.test(line)) return { type: 'approve', remember: 'category' };
  const [, feedback = ''] = /^(?:n|no)(?:\s+([^]*))?$/i.exec(line) ?? [];
  if (!/^(?:n|no)\b/i.test(line)) return undefined;
  return { type: 'reject', ...(feedback !== '' && { feedback }) };
}
