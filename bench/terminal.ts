import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import type { AgentEvent } from 'singletree/events';
import { readWindow, SqliteLog } from 'singletree/log';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const seconds = Number(process.env['TERMINAL_STREAM_SECONDS'] ?? 10);
const deltasPerSecond = 200;
const keyEveryMs = 100;
const longThread = 100_000;
const window = { cols: 80, rows: 24 };
/** One clock tick of `/proc`, in milliseconds. */
const tickMs = 10;

/** An agent that streams words at a steady pace, as the configuration of the person brings it. */
const streamer = `
const words = 'A few words of an answer as a model writes it. ';
export default { agents: [{
  id: 'streamer',
  async *invoke({ run: { runId } }) {
    yield { type: 'step_start', runId, step: 0 };
    const start = performance.now();
    for (let at = 0; at < ${seconds * deltasPerSecond}; at++) {
      const wait = start + at * ${1000 / deltasPerSecond} - performance.now();
      if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait));
      yield { type: 'text', runId, id: runId + '/t', content: words.slice(at % 30, at % 30 + 12) + (at % 40 === 39 ? '\\n\\n' : '') };
    }
    yield { type: 'text', runId, id: runId + '/t', content: '\\n\\nThat was all.' };
  },
}] };`;

/** Typing in the terminal app does not wait for what streams in, and drawing costs little. */
export async function* terminal(): AsyncGenerator<Result> {
  const folder = temporaryFolder();
  const home = folder.path('home');
  mkdirSync(home);
  writeFileSync(`${home}/singletree.config.mjs`, streamer);
  try {
    const chat = new Chat(home, ['streamer']);
    await chat.shows('Enter sends');
    const size = `${deltasPerSecond} deltas/s, ${window.cols}×${window.rows}`;
    chat.type('go\r');
    await chat.shows('A few words');
    const before = cpuMs(chat.pid);
    const from = chat.output.length;
    const delays: number[] = [];
    for (let typed = 'k'; !chat.isDone; typed += 'k') {
      delays.push(await chat.delayOf('k', `› ${typed}`));
      await setTimeout(keyEveryMs);
      if (typed.length < 40) continue;
      typed = '';
      chat.type('\u0015');
      await setTimeout(keyEveryMs);
    }
    const usedMs = cpuMs(chat.pid) - before;
    const frames = chat.output.slice(from).split('\u001b[?2026h').slice(1);
    const sorted = delays.toSorted((a, b) => a - b);
    const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
    yield { claim: 'terminal: key to screen while it streams, p50', size, unit: 'ms', ours: at(0.5) };
    yield { claim: 'terminal: key to screen while it streams, p99', size, unit: 'ms', ours: at(0.99) };
    yield {
      claim: 'terminal: CPU of the app and its run vs `cat` of the same text',
      size,
      unit: 'ms',
      ours: usedMs,
      peer: catMs(folder.path('text'), chat.text()),
    };
    const bytes = frames.map(frame => Buffer.byteLength(frame)).toSorted((a, b) => a - b);
    yield { claim: 'terminal: bytes per frame, p50', size, unit: 'bytes', ours: bytes[bytes.length >> 1] ?? 0 };
    yield { claim: 'terminal: bytes per frame, most', size, unit: 'bytes', ours: bytes.at(-1) ?? 0 };
    chat.end();
    yield* ofLongThread(home, folder.path('long.db'));
  } finally {
    folder.remove();
  }
}

async function* ofLongThread(home: string, file: string): AsyncGenerator<Result> {
  const log = new SqliteLog(file);
  for (const id of ['long', 'short']) await log.createThread({ id });
  for (let at = 0; at < longThread; at += 2_000)
    await log.append('long', Array.from({ length: 500 }, (_, index) => turnOf(at / 4 + index)).flat());
  await log.append('short', turnOf(0));
  // What is stored beside the events of a thread is stored by then, as in a thread that grew over days.
  await readWindow(log, 'long');
  await log.close();
  const opened = async (threadId: string, answer: string) => {
    const started = performance.now();
    const chat = new Chat(home, ['streamer', '--resume', threadId, '--db', file]);
    await chat.shows(answer);
    return { chat, ms: performance.now() - started };
  };
  const size = `${longThread.toLocaleString('en-US')} events`;
  const short = await opened('short', 'answer 0');
  const long = await opened('long', `answer ${longThread / 4 - 1}`);
  yield {
    claim: 'terminal: start to the rows of a thread, vs a thread of 4 events',
    size,
    unit: 'ms',
    ours: long.ms,
    peer: short.ms,
    goal: { atMost: 1.5 },
  };
  yield {
    claim: 'terminal: resident memory, vs a thread of 4 events',
    size,
    unit: 'MB',
    ours: residentMb(long.chat.pid),
    peer: residentMb(short.chat.pid),
    goal: { atMost: 1.3 },
  };
  long.chat.type('\u000fg');
  await long.chat.shows('question 0');
  yield { claim: 'terminal: resident memory at the first message', size, unit: 'MB', ours: residentMb(long.chat.pid) };
  long.chat.type('q');
  await long.chat.shows(`answer ${longThread / 4 - 1}`);
  const stored = async ({ chat }: typeof long) => {
    await chat.delayOf('more', '› more');
    const started = performance.now();
    chat.type('\r');
    await chat.shows('a row of the message', () => /^› more\n[^]*^› $/m.test(chat.text().trimEnd()));
    return performance.now() - started;
  };
  yield {
    claim: 'terminal: Enter to the row of the first message in a thread, vs a thread of 4 events',
    size,
    unit: 'ms',
    ours: await stored(long),
    peer: await stored(short),
    goal: { atMost: 3 },
  };
  short.chat.end();
  long.chat.end();
}

function turnOf(turn: number): AgentEvent[] {
  const [asked, runId] = [`asked-${turn}`, `run-${turn}`];
  const parent = turn === 0 ? {} : { parentMessageId: `run-${turn - 1}` };
  return [
    { type: 'user', runId: asked, content: `question ${turn}`, ...parent },
    { type: 'harness_start', runId, agentId: 'streamer', parentId: `${asked}:user` },
    { type: 'text', runId, id: `${runId}/t`, content: `answer ${turn}` },
    { type: 'harness_end', runId, agentId: 'streamer', reason: 'complete' },
  ];
}

/** A person at a terminal of a fixed size. */
class Chat {
  readonly #pty: IPty;
  readonly #screen = new headless.Terminal({ ...window, scrollback: 100_000, allowProposedApi: true });
  #onChange: () => void = () => {};
  /** Everything that the app wrote. */
  output = '';

  constructor(home: string, args: readonly string[]) {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, SINGLETREE_HOME: home, LANG: 'C.UTF-8' };
    const options = { ...window, cwd: home, name: 'xterm-256color', env: { ...env, TERM: 'xterm-256color' } };
    this.#pty = spawn(process.execPath, [command, 'chat', ...args], options);
    this.#pty.onData(data => {
      this.output += data;
      this.#screen.write(data, () => this.#onChange());
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  get isDone(): boolean {
    return this.text().includes('That was all.');
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Everything on the screen and above it. */
  text(): string {
    const buffer = this.#screen.buffer.active;
    const lines = Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row)?.translateToString(true) ?? '');
    return lines.join('\n');
  }

  /** Waits for a text on the screen. */
  async shows(text: string, isShown: () => boolean = () => this.text().includes(text)): Promise<void> {
    const limit = AbortSignal.timeout(60_000);
    while (!isShown()) {
      if (limit.aborted) throw new Error(`The terminal does not show "${text}":\n${this.text().slice(-2_000)}`);
      await Promise.race([new Promise<void>(resolve => (this.#onChange = resolve)), setTimeout(50)]);
    }
  }

  /** Milliseconds from a key to the line of the draft that has it. */
  async delayOf(key: string, line: string): Promise<number> {
    const start = performance.now();
    this.type(key);
    await this.shows(line, () => this.#hasLine(line));
    return performance.now() - start;
  }

  end(): void {
    this.#pty.kill('SIGKILL');
  }

  #hasLine(line: string): boolean {
    const buffer = this.#screen.buffer.active;
    for (let row = buffer.length - 1; row >= Math.max(0, buffer.length - window.rows); row--)
      if (buffer.getLine(row)?.translateToString(true) === line) return true;
    return false;
  }
}

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

function residentMb(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** CPU time of printing a text with `cat`, as the mean of many: the clock of processes is coarse. */
function catMs(file: string, text: string): number {
  writeFileSync(file, text);
  const rounds = 200;
  const script = `for i in $(seq ${rounds}); do cat "$1"; done; times`;
  const printed = execFileSync('bash', ['-c', script, 'cat', file], { maxBuffer: 1e9 }).toString();
  const ofChildren = printed.trimEnd().split('\n').at(-1) ?? '';
  const times = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(([, min, sec]) => 60 * Number(min) + Number(sec));
  return (1000 * times.reduce((sum, time) => sum + time, 0)) / rounds;
}
