import { describe, expect, it, vi } from 'vitest';
import { gate, scriptedAgent } from '../../../test/support/scripted-agent.ts';
import type { Agent } from '../../agents/contract/agent.ts';
import { steeredMessages } from '../../agents/steered-messages.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { Conversations } from './conversations.ts';

const modes = [
  { id: 'build', name: 'Build' },
  { id: 'plan', name: 'Plan' },
];

async function setUp(...agents: readonly Agent[]) {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  return { log, id, ...processOn(log, agents) };
}

function processOn(log: EventLog, agents: readonly Agent[]) {
  const control = new Supervisor({ log, agents, graceMs: 1 });
  const offered = { list: () => agents, get: (id: string) => agents.find(agent => agent.id === id) };
  const conversations = new Conversations({ log, control, agents: offered });
  conversations.deliver();
  return { control, conversations };
}

/** The events of a thread without ids and times, one line each. */
const story = async (log: EventLog, threadId: string) =>
  (await log.read(threadId)).flatMap(event => {
    if (event.type === 'user') return [`user ${JSON.stringify(event.content)}`];
    if (event.type === 'mode_changed') return [`mode ${event.previousModeId ?? '-'} → ${event.modeId}`];
    return event.type === 'harness_end' ? [`end ${event.reason}`] : [];
  });

const idle = async (control: Supervisor) => void (await Promise.all(control.running().map(({ done }) => done)));

describe('the model of a thread', () => {
  it('answers the messages that name none, for the agent that it was chosen for, from any process', async () => {
    const used: string[] = [];
    const agentNamed = (id: string) =>
      scriptedAgent(id, async function* ({ params }) {
        used.push(`${id} ${params.run.model ?? '-'}`);
        yield* [];
      });
    const agents = [agentNamed('one'), agentNamed('two')];
    const { log, id, control, conversations } = await setUp(...agents);
    await conversations.send(id, { content: 'a', agent: 'one' });
    await idle(control);
    await conversations.switchModel(id, 'one', 'openai/small');
    const other = processOn(log, agents);
    for (const message of [{ agent: 'one' }, { agent: 'one', model: 'openai/large' }, { agent: 'two' }]) {
      await other.conversations.send(id, { content: 'b', ...message });
      await idle(other.control);
    }
    expect(used).toEqual(['one -', 'one openai/small', 'one openai/large', 'two -']);
    expect((await log.read(id)).filter(({ type }) => type === 'model_changed')).toMatchObject([
      { modelId: 'openai/small', scope: 'thread' },
    ]);
  });

  it('is refused when the agent does not know it', async () => {
    const agent = {
      ...scriptedAgent('one', async function* () {}),
      checkModel: () => Promise.reject(new Error('No such model.')),
    };
    const { log, id, conversations } = await setUp(agent);
    await expect(conversations.switchModel(id, 'one', 'nothing')).rejects.toThrow('No such model.');
    expect(await log.read(id)).toEqual([]);
  });
});

describe('the mode of a thread', () => {
  it('changes after what runs was stopped, and not to one that the agent does not have', async () => {
    const agent = {
      ...scriptedAgent('one', async function* ({ until }) {
        await until(new Promise(() => {}));
        yield* [];
      }),
      modes,
    };
    const { log, id, conversations } = await setUp(agent);
    await conversations.send(id, { content: 'a' });
    await expect(conversations.switchMode(id, 'one', 'none')).rejects.toThrow('has no mode "none"');
    await conversations.switchMode(id, 'one', 'plan');
    await conversations.switchMode(id, 'one', 'plan');
    await conversations.switchMode(id, 'one', 'build');
    expect(await story(log, id)).toEqual(['user "a"', 'end aborted', 'mode - → plan', 'mode plan → build']);
  });

  it('is in the metadata of the thread, whether a person, a message or the agent changed it', async () => {
    const agent = {
      ...scriptedAgent('one', async function* ({ event, params }) {
        if (params.run.mode === 'plan') yield event('mode_changed', { modeId: 'build', previousModeId: 'plan' });
      }),
      modes,
    };
    const { log, id, control, conversations } = await setUp(agent);
    const stored = async () => (await log.getThread(id))?.metadata['currentModeId'];
    await conversations.switchMode(id, 'one', 'plan');
    expect(await stored()).toBe('plan');
    await conversations.send(id, { content: 'a', mode: 'build' });
    await idle(control);
    expect(await stored()).toBe('build');
    await conversations.send(id, { content: 'a', mode: 'plan' });
    await idle(control);
    expect(await stored()).toBe('build');
    expect(await story(log, id)).toEqual([
      'mode - → plan',
      'mode plan → build',
      'user "a"',
      'end complete',
      'mode build → plan',
      'user "a"',
      'mode plan → build',
      'end complete',
    ]);
  });

  it.each([
    ['approve', ['mode - → plan', 'mode plan → build']],
    ['reject', ['mode - → plan']],
  ] as const)('after a plan that its agent carries out itself: %s', async (outcome, changes) => {
    const agent = {
      ...scriptedAgent('one', async function* ({ event, answer }) {
        yield event('relay', { id: 'p', relayKind: 'plan', planId: 'p', plan: '1. Do it' } as never);
        await answer('p');
      }),
      modes,
      abilities: { carriesOutPlans: true },
    };
    const { log, id, control, conversations } = await setUp(agent);
    await conversations.send(id, { content: 'a', mode: 'plan' });
    for await (const { type } of log.tail(id)) if (type === 'relay') break;
    await conversations.answer(id, 'p', { outcome });
    await idle(control);
    expect((await story(log, id)).filter(line => line.startsWith('mode'))).toEqual(changes);
  });
});

describe('a reminder', () => {
  const shell = { message: '$ ls', reminderType: 'shell' };
  const text = 'user "<system-reminder type=\\"shell\\">\\n$ ls\\n</system-reminder>"';

  it('is read with the next message, and gets no answer', async () => {
    let read: unknown;
    const agent = scriptedAgent('one', async function* ({ params }) {
      read = params.conversation.messages;
      yield* [];
    });
    const { log, id, control, conversations } = await setUp(agent);
    await conversations.remind(id, 'one', shell);
    expect(control.running()).toEqual([]);
    await conversations.send(id, { content: 'what is there?' });
    await idle(control);
    expect(await story(log, id)).toEqual([text, 'user "what is there?"', 'end complete']);
    expect(JSON.stringify(read)).toContain('$ ls');
  });

  it.each([true, false])('during a run is read at its next safe point, or stored after it: %s', async isRead => {
    const hold = gate();
    const agent = scriptedAgent('one', async function* ({ until, params }) {
      await until(hold.opened);
      if (isRead) yield* steeredMessages(params);
    });
    const { log, id, conversations } = await setUp(agent);
    await conversations.send(id, { content: 'a' });
    await conversations.remind(id, 'one', shell);
    hold.open();
    const expected = isRead ? ['user "a"', text, 'end complete'] : ['user "a"', 'end complete', text];
    await vi.waitFor(async () => expect(await story(log, id)).toEqual(expected));
  });
});

describe('a long thread', () => {
  it('has a message before anything of it is read', async () => {
    const { log, id, control, conversations } = await setUp(scriptedAgent('one', async function* () {}));
    const turn = (at: number): AgentEvent[] => [
      { type: 'user', runId: `asked-${at}`, content: `question ${at}` },
      { type: 'harness_start', runId: `run-${at}`, agentId: 'one', parentId: `asked-${at}:user` },
      { type: 'text', runId: `run-${at}`, id: `t-${at}`, content: `answer ${at}` },
      { type: 'harness_end', runId: `run-${at}`, agentId: 'one', reason: 'complete' },
    ];
    await log.append(id, Array.from({ length: 2_500 }, (_, at) => turn(at)).flat());
    let [read, readBefore] = [0, -1];
    const [readPage, append] = [log.read.bind(log), log.append.bind(log)];
    vi.spyOn(log, 'read').mockImplementation(async (...range) => {
      const page = await readPage(...range);
      read += page.length;
      return page;
    });
    vi.spyOn(log, 'append').mockImplementation((threadId, events, options) => {
      if (events.some(({ type }) => type === 'user')) readBefore = read;
      return append(threadId, events, options);
    });
    await conversations.send(id, { content: 'one more', id: 'mine' });
    await idle(control);
    expect(readBefore).toBe(0);
    expect((await log.read(id, { after: 10_000 })).map(({ type }) => type)).toEqual([
      'user',
      'run_requested',
      'harness_start',
      'harness_end',
    ]);
  });
});
