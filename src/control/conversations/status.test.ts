import { describe, expect, it } from 'vitest';
import { gate, scriptedAgent } from '../../../test/support/scripted-agent.ts';
import type { Agent } from '../../agents/contract/agent.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import type { Thread } from '../../log/event-log.ts';
import { changeMode } from '../threads/choice-events.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { ConversationReader } from './conversation-reader.ts';
import { Conversations } from './conversations.ts';

/** An agent that asks when the first gate opens, and ends when it has the answer. */
function asking(id: string, { opened }: { readonly opened: Promise<void> }, expiresAt?: string): Agent {
  return scriptedAgent(id, async function* ({ event, until, answer }) {
    await until(opened);
    yield event('relay', { id: 'q', relayKind: 'question', question: 'Which?', ...(expiresAt && { expiresAt }) });
    await answer('q');
  });
}

async function setUp(agent: Agent, log = new MemoryLog()) {
  const { id: threadId } = await log.createThread();
  const control = new Supervisor({ log, agents: [agent], graceMs: 1 });
  const agents = { list: () => [agent], get: (id: string) => (id === agent.id ? agent : undefined) };
  const conversations = new Conversations({ log, control, agents });
  const thread = async () => (await log.getThread(threadId)) as Thread;
  const status = async (reader: ConversationReader = conversations) => reader.status(await thread());
  const asked = async () => {
    for await (const event of log.tail(threadId)) if (event.type === 'relay') return;
  };
  return { log, threadId, control, conversations, thread, status, asked };
}

describe('the status of a conversation', () => {
  it('is idle, running, waiting for a person, and idle again', async () => {
    const hold = gate();
    const { threadId, control, conversations, status, asked } = await setUp(asking('a', hold));
    expect(await status()).toEqual({ state: 'idle', runs: [], relays: [] });
    const { runId } = await conversations.send(threadId, { content: 'go' });
    expect(await status()).toMatchObject({ state: 'running', runs: [{ runId, agentId: 'a' }], relays: [] });
    hold.open();
    await asked();
    expect(await status()).toMatchObject({ state: 'waiting', relays: ['q'] });
    const [run] = control.running();
    await conversations.answer(threadId, 'q', { outcome: 'answer', answer: 'this' });
    await run?.done;
    expect(await status()).toEqual({ state: 'idle', runs: [], relays: [] });
  });

  it('is interrupted when no live process owns its run, with the command that resumes it, also when it asks', async () => {
    const hold = gate();
    hold.open();
    const { log, threadId, control, conversations, status, asked } = await setUp(asking('a', hold));
    await conversations.send(threadId, { content: 'go' });
    await asked();
    expect((await status(new ConversationReader(log))).state).toBe('waiting');
    await control.close();
    expect(await status(new ConversationReader(log))).toMatchObject({
      state: 'interrupted',
      relays: ['q'],
      problem: `The run was interrupted. To resume it: singletree run a --resume ${threadId}`,
    });
  });

  it('does not wait for a person whose time to answer is over', async () => {
    let now = 0;
    const log = new MemoryLog({ now: () => now });
    const hold = gate();
    hold.open();
    const expiresAt = new Date(1_000).toISOString();
    const { threadId, control, conversations, status, asked } = await setUp(asking('a', hold, expiresAt), log);
    await conversations.send(threadId, { content: 'go' });
    await asked();
    expect((await status()).state).toBe('waiting');
    now = 1_000;
    expect(await status()).toMatchObject({ state: 'running', relays: [] });
    await control.close();
  });

  it('shows why a message waits though nothing runs', async () => {
    const { log, threadId, conversations, thread, status } = await setUp(asking('a', gate()));
    const message = { id: 'm', content: 'and then', agent: 'stranger', delivery: 'follow_up' } as const;
    await conversations.store(threadId, message);
    const why = `The agent "stranger" is not offered here. To deliver its message: singletree run stranger --resume ${threadId}`;
    expect(await status()).toEqual({ state: 'queued', runs: [], relays: [], problem: why });
    expect(await conversations.queue(await thread())).toMatchObject([{ id: 'm', problem: why }]);
    const elsewhere = new ConversationReader(log);
    expect((await status(elsewhere)).problem).toMatch(/^No process delivers this message now\. To deliver it: /);
    await conversations.withdraw(threadId, 'm');
    expect((await status()).state).toBe('idle');
  });

  it('shows no reason for a message that is delivered when the run ends, or by an agent of this process', async () => {
    const hold = gate();
    const { threadId, control, conversations, thread } = await setUp(asking('a', hold));
    await conversations.send(threadId, { content: 'go' });
    await conversations.send(threadId, { id: 'm', content: 'then', delivery: 'follow_up' });
    expect((await conversations.queue(await thread())).map(({ problem }) => problem)).toEqual([undefined]);
    await control.close();
  });
});

describe('what changes a thread beside its messages', () => {
  it('renames, pins and archives it; a mark that is removed leaves nothing behind', async () => {
    const log = new MemoryLog();
    const { id } = await log.createThread();
    const conversations = new Conversations({ log });
    await conversations.label(id, { title: 'Named', isPinned: true, isArchived: true });
    expect(await log.getThread(id)).toMatchObject({ title: 'Named', metadata: { isPinned: true, isArchived: true } });
    const { title, metadata } = await conversations.label(id, { isPinned: false });
    expect([title, metadata]).toEqual(['Named', { isArchived: true }]);
  });

  it('moves it to a folder and stores a chosen mode, which its next run has', async () => {
    const log = new MemoryLog();
    const { id } = await log.createThread();
    let given: unknown;
    const agent = scriptedAgent(
      'a',
      async function* ({
        event,
        params: {
          run: { cwd, mode },
        },
      }) {
        given = { cwd, mode };
        yield event('text', { id: 't', content: 'Done.' });
      },
    );
    const conversations = new Conversations({ log, agents: { list: () => [agent], get: () => agent } });
    await conversations.move(id, { folder: '/work' });
    await conversations.choose(id, { events: changeMode('plan', undefined), metadata: { currentModeId: 'plan' } });
    await (await conversations.start(id, { content: 'go' })).done;
    expect(given).toEqual({ cwd: '/work', mode: 'plan' });
    expect((await log.getThread(id))?.metadata).toEqual({ currentModeId: 'plan' });
  });

  it('is refused during a run with the reason, and names the command that resumes an interrupted one', async () => {
    const { threadId, control, conversations, thread } = await setUp(asking('a', gate()));
    await conversations.checkIdle(await thread(), 'wait.');
    const { runId } = await conversations.send(threadId, { content: 'go' });
    const refusal = { code: 'run_under_way', details: { threadId, runId } };
    await expect(conversations.checkIdle(await thread(), 'wait.')).rejects.toMatchObject(refusal);
    await control.close();
    await expect(conversations.checkIdle(await thread(), 'wait.')).rejects.toThrow(/To resume it: singletree run a/);
  });

  it('begins with a message in the place of another, on a new branch, and only when nothing runs', async () => {
    const hold = gate();
    const agent = scriptedAgent('a', async function* ({ event, until }) {
      await until(hold.opened);
      yield event('text', { id: 't', content: 'Done.' });
    });
    const { log, threadId, control, conversations } = await setUp(agent);
    await conversations.send(threadId, { id: 'm', content: 'one' });
    const [user] = (await log.read(threadId)).filter(({ type }) => type === 'user');
    const edits = `${user?.runId}:user`;
    await expect(conversations.edit(threadId, edits, { content: 'two' })).rejects.toMatchObject({
      code: 'run_under_way',
    });
    hold.open();
    await control.running()[0]?.done;
    const { runId } = await conversations.edit(threadId, edits, { content: 'two' });
    await control.running()[0]?.done;
    const events = await log.read(threadId);
    expect(events.filter(({ type }) => type === 'user')).toMatchObject([{ content: 'one' }, { content: 'two' }]);
    expect(events.findLast(({ type }) => type === 'harness_start')?.runId).toBe(runId);
  });

  it('takes a turn back, and accepts no message for the thread meanwhile', async () => {
    const begun = gate();
    class SlowLog extends MemoryLog {
      override async branch(...given: Parameters<MemoryLog['branch']>): Promise<Thread> {
        begun.open();
        // A message that did not wait for the undo would be accepted in this time.
        for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
        return super.branch(...given);
      }
    }
    const log = new SlowLog();
    const { id } = await log.createThread();
    const agent = scriptedAgent('a', async function* () {});
    const agents = { list: () => [agent], get: () => agent };
    await expect((async () => new Conversations({ log }).undo(id))()).rejects.toMatchObject({ code: 'not_supported' });
    const conversations = new Conversations({ log, agents, snapshots: '/nowhere' });
    await (await conversations.start(id, { content: 'one' })).done;
    const order: string[] = [];
    const undoing = conversations.undo(id, { scope: 'conversation' }).finally(() => order.push('undone'));
    await begun.opened;
    await conversations.send(id, { content: 'two' }).finally(() => order.push('accepted'));
    expect(order).toEqual(['undone', 'accepted']);
    const { threadId, message } = await undoing;
    expect([message, await log.read(threadId)]).toEqual(['one', []]);
    expect((await conversations.redo(threadId)).threadId).toBe(id);
  });
});
