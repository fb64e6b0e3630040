import { createInterface } from 'node:readline';
import { errorText } from '../../base/error-text.ts';
import type { RelayEntry } from '../../projections/relay-book.ts';
import { emptyComposer } from '../composer/composer.ts';
import { oneLine } from '../../projections/presentation/present-call.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { textOfLine } from '../screen/styled-line.ts';
import type { ChatOptions } from './chat-options.ts';
import { ChatThreads } from './chat-threads.ts';
import { RowPrinter } from '../rows/row.ts';
import { closingReason, handleEnd } from './process-exits.ts';
import { newBand, type PersonAnswer } from './relay-band.ts';
import { bandLines } from './relay-lines.ts';
import { storeText, StoreWatch } from './store-watch.ts';
import { standardOutput } from '../../control/standard-output.ts';

export interface PlainChatOptions extends Omit<ChatOptions, 'styling'> {
  /** Whether a person listens: signs of life, a bell at the end of a turn, what the answers are. */
  readonly isSpoken: boolean;
}

/** How often a turn that takes long shows a sign of life, in milliseconds. */
const heartbeatMs = 30_000;
const width = 100;

/**
 * A chat in plain lines that are only ever appended, for screen readers and for programs at the other end of a pipe.
 * Each line of input is a message, or the answer to a pending relay.
 */
export class PlainChat {
  readonly #options: PlainChatOptions;
  readonly #threads: ChatThreads;
  readonly #printer = new RowPrinter();
  #asked: string | undefined;
  #wasRunning = false;
  #hasEnded = false;
  #finish: (code: number) => void = () => {};
  #stopBeat: () => void = () => {};

  private constructor(options: PlainChatOptions) {
    this.#options = options;
    this.#threads = new ChatThreads({
      ...options,
      onChange: () => this.#changed(),
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
    if (threadId !== undefined) await this.#threads.switchTo(threadId, agent);
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
    const open = this.#threads.follower?.threadId;
    if (open !== undefined && isSpoken) this.#line(`Resume with: ${this.#options.resumeCommand(open, agent.id)}`);
    await this.#threads.close(closingReason(code, this.#options));
    release();
    return code;
  }

  async #take(line: string): Promise<void> {
    const [waiting] = this.#threads.pending;
    if (line === '/quit') return this.#finish(0);
    if (line === '/stop') return this.#threads.stop();
    if (line === '') return;
    if (waiting !== undefined) return this.#answer(waiting, line);
    await this.#threads.send(line, { text: line, title: oneLine(line, 80) });
  }

  async #answer(entry: RelayEntry, line: string): Promise<void> {
    const answer = parseAnswer(entry, line);
    if (answer === undefined) return this.#line(howToAnswer(entry));
    await this.#threads.answer(entry, answer);
  }

  #changed(): void {
    const { follower } = this.#threads;
    if (follower === undefined) return this.#endWhenIdle();
    this.#printer.add(follower.takeRows(), width);
    for (const line of this.#printer.takeAll()) this.#line(textOfLine(line));
    this.#ask(follower.pending);
    const { isRunning } = this.#threads;
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

  #endWhenIdle(): void {
    const { isRunning, pending } = this.#threads;
    if (this.#hasEnded && (!isRunning || pending.length > 0))
      void this.#exitCode().then(
        code => code !== undefined && this.#finish(code),
        () => this.#finish(1),
      );
  }

  /**
   * Returns the exit code once the input has ended, 1 if relays are pending; undefined while a turn runs, or messages
   * are queued or not yet printed.
   */
  async #exitCode(): Promise<number | undefined> {
    const { threadId, conversations, follower } = this.#threads;
    const thread = threadId === undefined ? undefined : await this.#options.log.getThread(threadId);
    if (follower !== undefined && (thread?.seq ?? 0) > follower.reading.seq) return undefined;
    const { state = 'idle', problem } = (thread && (await conversations.status(thread))) ?? {};
    if (this.#threads.pending.length > 0) return 1;
    return this.#threads.isRunning || (state !== 'idle' && problem === undefined) ? undefined : 0;
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
function parseAnswer({ relay }: RelayEntry, line: string): PersonAnswer | undefined {
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
