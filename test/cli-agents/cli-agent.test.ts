import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import type { CliAgentOptions } from '../../src/agents/cli/agent/cli-agent-options.ts';
import { buildPrompt } from '../../src/agents/cli/agent/prompt.ts';
import type { Session } from '../../src/agents/contract/host.ts';
import { Semaphore } from '../../src/agents/semaphore.ts';
import { type AgentEvent, checkOrder } from '../../src/events/index.ts';
import type { RawLine } from '../../src/log/index.ts';
import type { Message } from '../../src/projections/index.ts';
import { fakeProgram } from './support/fake-program.ts';

const executable = fakeProgram();
const quick: CliAgentOptions = { executable, settleMs: 50, stopStepMs: 50 };

interface Ask extends CliAgentOptions {
  readonly messages?: readonly Message[];
  readonly session?: Session;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
}

async function ask(prompt: string, { messages, session, signal, onEvent, ...options }: Ask = {}) {
  const agent = cliAgent('codex', { ...quick, ...options });
  const events: AgentEvent[] = [];
  const all = messages ?? [{ role: 'user' as const, content: prompt }];
  const params = {
    run: { runId: 'r', ...(signal && { signal }) },
    conversation: { messages: all, ...(session && { session }) },
  };
  for await (const event of agent.invoke(params)) {
    events.push(event);
    onEvent?.(event);
  }
  expect(checkOrder(events)).toEqual([]);
  return events;
}

const find = <Type extends AgentEvent['type']>(events: AgentEvent[], type: Type) =>
  events.find(event => event.type === type) as Extract<AgentEvent, { type: Type }>;
const textOf = (events: AgentEvent[]) => find(events, 'text').content;
const reasonOf = (events: AgentEvent[]) => find(events, 'harness_end').reason;
/** A process that ended but that nobody waited for is not alive. */
const isAlive = (pid: number) =>
  /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout.trim());

describe('an external agent', () => {
  it('is a run like any other', async () => {
    const events = await ask('hello');
    expect(events.map(event => event.type)).toEqual(['harness_start', 'session', 'text', 'usage', 'harness_end']);
    expect(reasonOf(events)).toBe('complete');
    expect(find(events, 'session')).toMatchObject({ sessionId: 's-1', line: 1 });
  });

  it('hands out every raw line, byte for byte, before its events', async () => {
    const lines: RawLine[] = [];
    const events = await ask('split', { onRaw: (_runId, line) => void lines.push(line) });
    expect(lines.map(line => [line.n, line.stream])).toEqual([
      [1, 'stdout'],
      [2, 'stdout'],
      [3, 'stdout'],
    ]);
    expect(Buffer.from(lines[1]?.line ?? []).toString()).toMatch(/ü🦄.*\r\n$/);
    expect(textOf(events)).toBe('ü🦄');
  });

  it.each(['--help', '-', '; touch x', '$(id)', 'it\'s "quoted"\n\tand long'])(
    'takes the prompt %j as it is',
    async prompt => {
      const text = textOf(await ask(prompt));
      expect(text).toBe(`${prompt.length}:${prompt.slice(0, 20)}`);
    },
  );

  it('takes a prompt that is too long for an argument', async () => {
    expect(textOf(await ask('long '.repeat(60_000)))).toBe('300000:long long long long ');
  });

  it('resumes a session, or passes the history to a new one', async () => {
    const messages: Message[] = [
      { role: 'user', content: 'first' },
      { role: 'assistant', content: [{ type: 'text', text: 'answer' }] },
      { role: 'user', content: 'args' },
    ];
    const session = { id: 's-0', known: 2 };
    const resumed = textOf(await ask('', { messages, session, model: 'm', yolo: true }));
    expect((JSON.parse(resumed) as string[]).join(' ')).toBe(
      'exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox --model m resume s-0 -- args',
    );
    const retold = await ask('', { messages });
    expect(find(retold, 'warning').code).toBe('new_session');
    const later = await ask('', { messages, session: { id: 's-0', known: 1 } });
    expect(textOf(later)).toBe('69:Meanwhile this was s');
    expect(later.some(event => event.type === 'warning')).toBe(false);
  });

  it('writes a session again that its program has lost, without a warning', async () => {
    const home = mkdtempSync(join(tmpdir(), 'singletree-lost-'));
    const messages: Message[] = [
      { role: 'user', content: 'first' },
      { role: 'assistant', content: [{ type: 'text', text: 'answer' }] },
      { role: 'user', content: 'args' },
    ];
    const session = { id: 'lost', known: 2 };
    const lines: RawLine[] = [];
    const onRaw = (_runId: string, line: RawLine) => void lines.push(line);
    const env = { CODEX_HOME: home };
    const rebuilt = await ask('', { messages, session, sessionFolder: join(home, 'written'), env, onRaw });
    expect(rebuilt.map(event => event.type)).toEqual(['harness_start', 'session', 'text', 'usage', 'harness_end']);
    const [file = ''] = readdirSync(join(home, 'sessions'));
    const id = /([\da-f-]{36})\.jsonl$/.exec(file)?.[1];
    expect((JSON.parse(textOf(rebuilt)) as string[]).join(' ')).toContain(`resume ${id} -- args`);
    expect(lines.map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    const told = await ask('', { messages, session });
    expect(told.filter(event => event.type === 'warning').map(({ code }) => code)).toEqual(['new_session']);
    expect(textOf(told)).toContain('This conversation to');
    rmSync(home, { recursive: true });
  });

  it('writes calls with their results into the prompt of a new session', () => {
    const { text } = buildPrompt([
      { role: 'user', content: 'first' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool_call', id: 'a', name: 'read', input: { path: 'x' } },
          { type: 'tool_call', id: 'b', name: 'run', input: 'ls' },
        ],
      },
      { role: 'tool', content: [{ type: 'tool_result', id: 'a', name: 'read', output: { context: 'the heron' } }] },
      { role: 'user', content: 'second' },
    ]);
    expect(text).toBe(
      [
        'This conversation took place before:',
        'User: first',
        'Assistant: Looking.\n[Called read {"path":"x"}]\n[Result: the heron]\n[Called run {"input":"ls"}]\n[Failed: The call was interrupted: its outcome is unknown.]',
        'Now the user asks:',
        'second',
      ].join('\n\n'),
    );
  });

  it('counts what a run used and not what its session had used before', async () => {
    const used = { inputTokens: 3, outputTokens: 6 };
    const events = await ask('hello', { session: { id: 's-1', known: 0, used } });
    expect(find(events, 'usage')).toMatchObject({ inputTokens: 2, outputTokens: 1 });
  });

  it('fails with its own words and its exit code, without colours', async () => {
    const events = await ask('crash');
    expect(find(events, 'warning').message).toBe('the roof');
    expect(events.map(event => event.sessionId)).toEqual([undefined, ...Array<string>(5).fill('s-1')]);
    expect(find(events, 'error')).toMatchObject({
      message: 'codex exited with code 3: the roof\nis on fire',
      code: 'exit_code',
      fatal: true,
    });
    expect(reasonOf(events)).toBe('error');
  });

  it('says how to fix a program that is too old or not there', async () => {
    expect(find(await ask('refuse'), 'error').message).toContain('npm install -g @openai/codex@latest');
    const missing = await ask('hello', { executable: 'no-such-program-here' });
    expect(find(missing, 'error')).toMatchObject({ code: 'not_installed', fatal: true });
    expect(find(missing, 'error').message).toContain('npm install -g @openai/codex');
    expect(reasonOf(missing)).toBe('error');
  });

  it('is stopped when it is silent or takes too long, however deaf it is', async () => {
    const silent = await ask('hang', { idleTimeoutMs: 300 });
    expect(find(silent, 'error')).toMatchObject({ code: 'timeout' });
    expect(find(silent, 'error').message).toContain('was silent for 0.3 s');
    expect(reasonOf(silent)).toBe('timeout');
    expect(reasonOf(await ask('hang', { timeoutMs: 300 }))).toBe('timeout');
  });

  it('ends well when it hangs after it said that it is done', async () => {
    const events = await ask('linger');
    expect(reasonOf(events)).toBe('complete');
    expect(find(events, 'error')).toBeUndefined();
  });

  it('is not taken to be done when another turn begins', async () => {
    const events = await ask('again');
    expect(textOf(events)).toBe('not yet');
    expect(reasonOf(events)).toBe('complete');
  });

  it('leaves nothing behind that it started', async () => {
    const events = await ask('orphan');
    expect(reasonOf(events)).toBe('complete');
    expect(isAlive(process.pid)).toBe(true);
    await vi.waitFor(() => expect(isAlive(Number(textOf(events)))).toBe(false));
  });

  it('stops when it is aborted', async () => {
    const stop = new AbortController();
    const events = await ask('hang', { signal: stop.signal, onEvent: ({ type }) => type === 'text' && stop.abort() });
    expect(events.map(event => event.type)).toEqual(['harness_start', 'session', 'text', 'harness_end']);
    expect(reasonOf(events)).toBe('aborted');
  });

  it('stops when nobody takes its events any more', async () => {
    const agent = cliAgent('codex', quick);
    const messages: Message[] = [{ role: 'user', content: 'hang' }];
    for await (const event of agent.invoke({
      run: { runId: 'r', signal: new AbortController().signal },
      conversation: { messages },
    }))
      if (event.type === 'text') break;
  });

  it('makes the program wait for a slow reader and loses nothing', async () => {
    let count = 0;
    const events = await ask('flood', {
      settleMs: 5_000,
      onRaw: async () => void (++count % 500 === 0 && (await new Promise(setImmediate))),
    });
    expect(events.filter(event => event.type === 'reasoning')).toHaveLength(20_000);
    expect(reasonOf(events)).toBe('complete');
  });

  it('gets the environment it needs and no more', async () => {
    vi.stubEnv('SECRET_OF_ANOTHER', 'x');
    vi.stubEnv('OPENAI_API_KEY', 'k');
    const env = JSON.parse(textOf(await ask('env', { env: { EXTRA: '1' } }))) as Record<string, string>;
    vi.unstubAllEnvs();
    expect(env).toMatchObject({ OPENAI_API_KEY: 'k', EXTRA: '1', PATH: expect.any(String) as string });
    expect(env).not.toHaveProperty('SECRET_OF_ANOTHER');
  });

  it('waits visibly for its turn, and can be stopped while it waits', async () => {
    const semaphore = new Semaphore(1);
    const release = await semaphore.acquire(new AbortController().signal);
    const onEvent = (event: AgentEvent) => void (event.type === 'warning' && event.code === 'waiting' && release());
    expect(reasonOf(await ask('hello', { semaphore, onEvent }))).toBe('complete');
    await semaphore.acquire(new AbortController().signal);
    const stop = new AbortController();
    const waiting = ask('hello', {
      semaphore,
      signal: stop.signal,
      onEvent: ({ type }) => type === 'warning' && setImmediate(() => stop.abort()),
    });
    expect(reasonOf(await waiting)).toBe('aborted');
  });

  it('runs at most four processes at once: the others wait visibly', async () => {
    const running = new Set<number>();
    const isWaiting: boolean[] = [];
    let most = 0;
    const runs = Array.from({ length: 6 }, (_, run) =>
      ask('hello', {
        onEvent: event => {
          if (event.type === 'session') running.add(run);
          if (event.type === 'harness_end') running.delete(run);
          if (event.type === 'warning' && event.code === 'waiting') isWaiting[run] = true;
          most = Math.max(most, running.size);
        },
      }),
    );
    expect((await Promise.all(runs)).map(reasonOf)).toEqual(Array<string>(6).fill('complete'));
    expect(Object.keys(isWaiting)).toEqual(['4', '5']);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('fails as a run when its raw lines cannot be kept', async () => {
    const events = await ask('hello', { onRaw: () => Promise.reject(new Error('disk full')) });
    expect(find(events, 'error')).toMatchObject({ message: 'disk full', fatal: true });
    expect(reasonOf(events)).toBe('error');
  });

  it('is refused when nobody knows its name', () => {
    expect(() => cliAgent('hal')).toThrow('Known agents: codex, claude, pi');
  });
});
