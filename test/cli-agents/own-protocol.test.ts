import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { defineCliAgent } from '../../src/agents/cli/define/define-cli-agent.ts';
import { SessionPool } from '../../src/agents/cli/live/session-pool.ts';
import { readSavedStream } from '../../src/agents/cli/saved/saved-stream.ts';
import { Supervisor } from '../../src/control/supervision/supervisor.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { MemoryLog } from '../../src/log/index.ts';

const program = fileURLToPath(new URL('./support/small-program.mjs', import.meta.url));

const record = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ask'), call: z.string(), command: z.string() }),
  z.object({ type: z.literal('result'), call: z.string(), output: z.string().optional(), why: z.string().optional() }),
  z.object({ type: z.literal('question'), text: z.string(), choices: z.array(z.string()) }),
  z.object({ type: z.literal('said'), text: z.string() }),
  z.object({ type: z.literal('end') }),
]);

const small = defineCliAgent({
  id: 'small',
  name: 'Small',
  executable: process.execPath,
  install: 'npm install -g small',
  live: {
    args: ({ sessionId }) => [program, ...(sessionId === undefined ? [] : [sessionId])],
    resumes: true,
    hello: { type: 'hello' },
    opened: ({ type, session }) => (type === 'ready' ? { sessionId: String(session) } : undefined),
    prompt: text => ({ type: 'prompt', text }),
    stop: { type: 'stop' },
    read: turn => value => {
      const { data } = record.safeParse(value);
      if (data === undefined) return turn.unknown();
      if (data.type === 'ask') {
        turn.call(data.call, 'bash', { command: data.command });
        turn.ask(data.call, { command: data.command }, ({ isAllowed, reason }) => ({
          type: 'answer',
          allow: isAllowed,
          why: reason,
        }));
      }
      if (data.type === 'result')
        turn.result(
          data.call,
          data.output === undefined ? { status: 'denied', reason: data.why ?? 'rejected' } : { context: data.output },
        );
      if (data.type === 'question') turn.question(data.text, data.choices, answer => ({ type: 'choice', answer }));
      if (data.type === 'said') turn.text('m1', data.text, true);
      if (data.type === 'end') turn.end();
    },
  },
});

/** A thread with the small program, which may run `ls` and nothing else. */
async function openThread() {
  const permissions = { default: 'deny' as const, rules: [{ command: 'ls *', policy: 'allow' as const }] };
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const supervisor = new Supervisor({ log });
  const sessions = new SessionPool();
  const agent = cliAgent(small, { permissions, sessions });
  const read = async () =>
    (await log.read(id)).filter(({ type }): boolean => type !== 'user' && type !== 'run_requested');
  return { log, id, supervisor, sessions, agent, read };
}

/** The events of a run of the small program. */
async function eventsOf(content: string): Promise<AgentEvent[]> {
  const { id, supervisor, sessions, agent, read } = await openThread();
  await (await supervisor.start(id, { agent, content })).done;
  await supervisor.close();
  await sessions.close();
  return read();
}

describe('an agent with a protocol of its own', () => {
  it('runs a call that a rule allows', async () => {
    const events = await eventsOf('ls -l');
    expect(events).toMatchObject([
      { type: 'harness_start', agentId: 'small' },
      { type: 'session', sessionId: 'small-1' },
      { type: 'tool_call', name: 'bash', input: { command: 'ls -l' } },
      { type: 'tool_start' },
      { type: 'tool_result', output: { context: 'done' } },
      { type: 'harness_end', reason: 'complete' },
    ]);
  });

  it('tells the program why a call may not run', async () => {
    const events = await eventsOf('rm -r /');
    expect(events.map(({ type }) => type)).toEqual([
      'harness_start',
      'session',
      'tool_call',
      'tool_result',
      'harness_end',
    ]);
    expect(events[3]).toMatchObject({
      output: { status: 'denied', reason: expect.stringContaining('default') as string },
    });
  });

  it('asks a person, and passes the answer on', async () => {
    const { id, log, supervisor, sessions, agent, read } = await openThread();
    const run = await supervisor.start(id, { agent, content: 'Which colour?' });
    for await (const event of log.tail(id))
      if (event.type === 'relay') {
        expect(event).toMatchObject({ question: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] });
        await supervisor.answer(id, event.id, { outcome: 'answer', answer: 'blue' });
        break;
      }
    await run.done;
    await supervisor.close();
    await sessions.close();
    expect((await read()).slice(-2)).toMatchObject([
      { type: 'text', content: 'small-1 chose blue.' },
      { type: 'harness_end', reason: 'complete' },
    ]);
  });

  it('stops a turn, and keeps the program for the next one', async () => {
    const { id, log, supervisor, sessions, agent, read } = await openThread();
    const run = await supervisor.start(id, { agent, content: 'wait' });
    for await (const event of log.tail(id)) if (event.type === 'session') break;
    await supervisor.abort(run.runId);
    await run.done;
    await (await supervisor.start(id, { agent, content: 'ls -l' })).done;
    await supervisor.close();
    await sessions.close();
    const ends = (await read()).filter(({ type }) => type === 'harness_end');
    expect(ends).toMatchObject([{ reason: 'aborted' }, { reason: 'complete' }]);
  });

  it('resumes its session in another process, and begins a new one when that is lost', async () => {
    const { id, supervisor, sessions, agent, read, log } = await openThread();
    await (await supervisor.start(id, { agent, content: 'ls -l' })).done;
    await sessions.close();
    await (await supervisor.start(id, { agent, content: 'ls -a' })).done;
    await sessions.close();
    const runId = 'elsewhere';
    await log.append(id, [
      { type: 'harness_start', runId, agentId: 'small' },
      { type: 'session', runId, sessionId: 'lost' },
      { type: 'harness_end', runId, agentId: 'small', reason: 'complete' },
    ]);
    await (await supervisor.start(id, { agent, content: 'ls -R' })).done;
    await supervisor.close();
    await sessions.close();
    const events = await read();
    expect(events.flatMap(event => (event.type === 'session' ? [event.sessionId] : []))).toEqual([
      'small-1',
      'small-1',
      'lost',
      'small-1',
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete' });
  });

  it('reads its saved records without asking', async () => {
    const lines = [
      { type: 'ready', session: 'small-1' },
      { type: 'ask', call: 'c1', command: 'ls' },
      { type: 'result', call: 'c1', output: 'done' },
      { type: 'odd' },
      { type: 'end' },
    ];
    const stream = readSavedStream(
      small,
      lines.map(line => `${JSON.stringify(line)}\n`),
    );
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toEqual(['harness_start', 'session', 'tool_call', 'tool_result', 'unknown', 'harness_end']);
  });

  it('has one way to keep running, and every part of it', () => {
    const about = { id: 'small', executable: 'small', install: 'npm install -g small' };
    const live = { args: () => [], prompt: (text: string) => ({ text }), stop: {}, read: () => () => {} };
    expect(() => defineCliAgent({ ...about, live, acp: { args: [] } })).toThrow(/not both/);
    const { read: _, ...incomplete } = live;
    expect(() => defineCliAgent({ ...about, live: incomplete as unknown as typeof live })).toThrow(/read/);
  });
});
