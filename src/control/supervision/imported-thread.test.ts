import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { conversationLog } from '../../../test/support/random-conversations.ts';
import { eventStream } from '../../../test/support/random-events.ts';
import type { Agent } from '../../agents/contract/agent.ts';
import { defineTool } from '../../agents/tool-definition/define-tool.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import { scriptByStep } from '../../agents/model/scripted/script.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { exportThread, importThread } from '../../log/jsonl.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import type { Thread } from '../../log/event-log.ts';
import { relayBook } from '../../projections/relay-book.ts';
import { runStatus } from '../../projections/run-status.ts';
import { continueRun, Supervisor } from './supervisor.ts';
import { OpenThread } from '../harness/threads/open-thread.ts';
import { listOpenRuns } from './open-runs.ts';
import { ThreadMemory } from '../threads/thread-memory.ts';

/** An agent whose tool asks a person first, and how often the tool ran. */
function asking() {
  const ran: string[] = [];
  const shell = defineTool({
    name: 'shell',
    description: 'runs a command',
    category: 'execute',
    input: z.object({ command: z.string() }),
    execute: ({ command }) => {
      ran.push(command);
      return { context: 'done' };
    },
  });
  const script = scriptByStep([{ toolCall: { name: 'shell', input: { command: 'make' } } }, 'Done.']);
  const agent = loopAgent({
    id: 'main',
    model: scriptedModel(script),
    tools: [shell],
    permissions: { default: 'ask', rules: [] },
  });
  return { ran, agent };
}

const before: AgentEvent[] = [
  { type: 'user', runId: 'asked', content: 'Build it.' },
  { type: 'harness_start', runId: 'r', agentId: 'main', parentId: 'asked:user' },
  { type: 'session', runId: 'r', sessionId: 'private' },
  { type: 'step_start', runId: 'r', step: 0 },
  { type: 'tool_call', runId: 'r', id: 'r/c', name: 'shell', input: { command: 'make' } },
  {
    type: 'relay',
    runId: 'r',
    id: 'r/q',
    relayKind: 'permission',
    toolCallId: 'r/c',
    tool: 'shell',
    params: { command: 'make' },
  },
];
const granted: AgentEvent[] = [
  ...before,
  { type: 'relay_resolved', runId: 'r', relayId: 'r/q', outcome: 'approve', remember: 'category' },
  { type: 'harness_end', runId: 'r', agentId: 'main', reason: 'complete' },
];
const unnumbered = (event: AgentEvent): AgentEvent => ({ ...event, seq: undefined });
const jsonl = (events: readonly AgentEvent[]) => events.map(event => `${JSON.stringify(unnumbered(event))}\n`);

/** Says something in a thread; returns what its agent asks then. */
async function askedIn(log: MemoryLog, { id, seq }: Thread, agent: Agent) {
  const supervisor = new Supervisor({ log });
  const run = await supervisor.start(id, { agent, content: 'Again.' });
  for await (const event of log.tail(id, seq))
    if (event.type === 'relay') return { supervisor, run, relay: event as EventOf<'relay'> };
    else if (event.type === 'harness_end') throw new Error('The run ended without asking.');
  throw new Error('the tail ended');
}

describe('a run in an imported thread', () => {
  it('is marked as such, so that its programs get the short list of variables; one in a thread of ours is not', async () => {
    const log = new MemoryLog();
    const marks: (boolean | undefined)[] = [];
    const agent: Agent = {
      id: 'main',
      async *invoke({ run: { runId }, conversation: { isImported } }) {
        marks.push(isImported);
        yield { type: 'text', runId, id: 't', content: 'Hello.' };
      },
    };
    const supervisor = new Supervisor({ log });
    for (const { id } of [await importThread(log, jsonl(granted)), await log.createThread()])
      await (await supervisor.start(id, { agent, content: 'Again.' })).done;
    await supervisor.close();
    expect(marks).toEqual([true, undefined]);
  });
});

describe('a grant of imported events', () => {
  it.each(['thread', 'category'] as const)('for the %s is not in force', async remember => {
    const log = new MemoryLog();
    const events = granted.map(event => (event.type === 'relay_resolved' ? { ...event, remember } : event));
    const thread = await importThread(log, jsonl(events));
    const { agent, ran } = asking();
    const { supervisor, run, relay } = await askedIn(log, thread, agent);
    expect(ran).toEqual([]);
    await supervisor.answer(thread.id, relay.id, { outcome: 'reject' });
    await run.done;
    expect(ran).toEqual([]);
  });

  it('is not in force in a branch, wherever that begins, or in an import of its export', async () => {
    const log = new MemoryLog();
    const thread = await importThread(log, jsonl(granted));
    const places = [await log.branch(thread.id, thread.seq), await log.branch(thread.id, 7)];
    places.push(await log.branch(places[0]?.id ?? '', 7));
    places.push(await importThread(log, exportThread(log, places[1]?.id ?? '')));
    for (const place of places) {
      const { agent, ran } = asking();
      const { supervisor, run } = await askedIn(log, place, agent);
      await supervisor.abort(run.runId);
      expect(ran).toEqual([]);
    }
  });

  it('given by a person after the import is in force', async () => {
    const log = new MemoryLog();
    const thread = await importThread(log, jsonl(granted));
    const { agent, ran } = asking();
    const { supervisor, run, relay } = await askedIn(log, thread, agent);
    await supervisor.answer(thread.id, relay.id, { outcome: 'approve', remember: 'thread' });
    await run.done;
    expect(await (await supervisor.start(thread.id, { agent, content: 'And again.' })).done).toBe('complete');
    expect(ran).toEqual(['make', 'make']);
  });

  it('is not in force for a memory that had the thread while it was imported', async () => {
    const log = new MemoryLog();
    const memory = new ThreadMemory(log);
    await log.createThread({ id: 't', imported: true });
    const { thread } = await OpenThread.open((await log.getThread('t')) as Thread, {
      log,
      memory,
      names: new Map(),
      onEvent: () => {},
      onRead: () => {},
      onLost: () => {},
    });
    await memory.of('t');
    const { lastSeq } = await log.append('t', granted, { imported: true });
    await thread.sync();
    expect((await memory.of('t', lastSeq)).remembered).toEqual([]);
    expect((await memory.of('t')).remembered).toEqual([]);
  });
});

describe('an import that overtakes a reader of its thread', () => {
  /** A log in which more is imported right after a thread was looked up. */
  class OvertakenLog extends MemoryLog {
    events: readonly AgentEvent[] = [];
    override async getThread(id: string) {
      const thread = await super.getThread(id);
      const events = this.events;
      this.events = [];
      if (events.length > 0) await this.append(id, events, { imported: true });
      return thread;
    }
  }
  const harnessOptions = { names: new Map(), onEvent: () => {}, onRead: () => {}, onLost: () => {} };

  it('grants nothing and changes no mode', async () => {
    const log = new OvertakenLog();
    await log.createThread({ id: 't', imported: true });
    await log.append('t', granted.slice(0, 1), { imported: true });
    log.events = [...granted.slice(1), { type: 'mode_changed', runId: 'r', modeId: 'build' }];
    const state = await new ThreadMemory(log).of('t');
    expect([state.seq, state.remembered, state.mode]).toEqual([granted.length + 1, [], undefined]);
    const { thread } = await OpenThread.open(
      { id: 't', createdAt: '', importedSeq: 1 },
      { log, memory: new ThreadMemory(log), ...harnessOptions },
    );
    expect(thread.mode).toBeUndefined();
  });
});

describe('a relay that waits in imported events', () => {
  it('accepts no answer, also in a branch that has it without its end', async () => {
    const log = new MemoryLog();
    const thread = await importThread(log, jsonl(before));
    const supervisor = new Supervisor({ log });
    for (const { id, seq } of [thread, await log.branch(thread.id, before.length)]) {
      const answer = { outcome: 'approve', remember: 'category' } as const;
      await expect(supervisor.answer(id, 'r/q', answer)).rejects.toMatchObject({ code: 'relay_not_found' });
      expect((await log.getThread(id))?.seq).toBe(seq);
    }
  });
});

describe('a run that imported events leave open', () => {
  it('is neither recovered nor continued', async () => {
    const log = new MemoryLog();
    const thread = await importThread(log, jsonl(before));
    const { agent, ran } = asking();
    const supervisor = new Supervisor({ log, agents: [agent] });
    expect(await supervisor.recover()).toEqual([]);
    expect(await supervisor.takeOver(thread.id)).toEqual({ here: [], elsewhere: [] });
    const run = { threadId: thread.id, runId: 'r' };
    await expect(continueRun(agent, log, run)).rejects.toMatchObject({ code: 'run_not_found' });
    await supervisor.close();
    expect(ran).toEqual([]);
    expect((await log.getThread(thread.id))?.seq).toBe(thread.seq);
  });
});

describe('a run with the id that imported events use', () => {
  it('resumes without their requests: it is neither aborted nor steered by them', async () => {
    const log = new MemoryLog();
    const requests: AgentEvent[] = [
      { type: 'user', runId: 'asked', content: 'Build it.' },
      { type: 'abort_requested', runId: 'next' },
      { type: 'steer_requested', runId: 'next', id: 'm', content: 'And push it.' },
    ];
    const thread = await importThread(log, jsonl(requests));
    const { agent } = asking();
    const first = new Supervisor({ log, newRunId: () => 'next' });
    await first.start(thread.id, { agent, content: 'Again.' });
    for await (const { type } of log.tail(thread.id, thread.seq)) if (type === 'relay') break;
    await first.close();
    const second = new Supervisor({ log, agents: [agent] });
    const [run] = await second.recover();
    const { relays } = await new ThreadMemory(log).of(thread.id);
    await second.answer(thread.id, relays.pending[0]?.id ?? '', { outcome: 'reject' });
    expect(await run?.done).toBe('complete');
    const own = await log.read(thread.id, { after: thread.seq });
    expect(own.filter(({ type }) => type === 'user')).toHaveLength(1);
    await second.close();
  });
});

describe('a session that imported events name', () => {
  it('is not resumed: it may belong to anybody', async () => {
    const log = new MemoryLog();
    const { id } = await importThread(log, jsonl(granted));
    const sessions: unknown[] = [];
    const cli: Agent = {
      id: 'main',
      async *invoke({ run: { runId, parentId }, conversation: { session } }) {
        sessions.push(session?.id);
        yield { type: 'harness_start', runId, agentId: 'main', ...(parentId !== undefined && { parentId }) };
        yield { type: 'session', runId, sessionId: 'own' };
      },
    };
    const supervisor = new Supervisor({ log });
    for (const content of ['first', 'second']) await (await supervisor.start(id, { agent: cli, content })).done;
    expect(sessions).toEqual([undefined, 'own']);
  });
});

it('has no power, whatever was imported', async () => {
  const stream = fc.oneof(conversationLog(), eventStream());
  await fc.assert(
    fc.asyncProperty(stream, fc.nat(), async (events, pick) => {
      const log = new MemoryLog();
      const whole = await importThread(log, jsonl(events));
      const cut = await log.branch(whole.id, pick % (whole.seq + 1));
      for (const thread of [whole, cut]) {
        const { remembered, relays } = await new ThreadMemory(log).of(thread.id);
        expect(remembered).toEqual([]);
        expect(relays.pending).toEqual([]);
        expect(listOpenRuns(thread)).toEqual([]);
      }
      const stored = await log.read(whole.id, { limit: 10_000 });
      expect(stored.slice(0, events.length)).toEqual(
        events.map((event, at) => ({ ...JSON.parse(JSON.stringify(event)), seq: at + 1, ts: stored[at]?.ts })),
      );
      expect(stored.reduce(relayBook.step, relayBook.initial).pending).toEqual([]);
      const started = new Set(stored.flatMap(({ type, runId }) => (type === 'harness_start' ? [runId] : [])));
      const standing = runStatus.view(stored.reduce(runStatus.step, runStatus.initial));
      const open = standing.filter(({ runId, status }) => started.has(runId) && /running|waiting/.test(status));
      expect(open).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
