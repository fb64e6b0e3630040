import { describe, expect, it, vi } from 'vitest';
import { gate, scriptedAgent } from '../../../test/support/scripted-agent.ts';
import type { Agent } from '../../agents/contract/agent.ts';
import { defineTool } from '../../agents/loop/tool.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import { steeredMessages } from '../../agents/steered-messages.ts';
import type { EventLog } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { Conversations } from './conversations.ts';
import * as z from 'zod';

function processOn(log: EventLog, agents: readonly Agent[], owner?: string) {
  const control = new Supervisor({ log, agents, graceMs: 1, ...(owner !== undefined && { owner }) });
  const offered = { list: () => agents, get: (id: string) => agents.find(agent => agent.id === id) };
  const conversations = new Conversations({ log, control, agents: offered });
  conversations.deliver();
  return { control, conversations };
}
const said = async (log: EventLog, threadId: string) =>
  (await log.read(threadId)).flatMap(event => (event.type === 'user' ? [event.content] : []));
const waitingIn = async ({ log, conversations }: { log: EventLog; conversations: Conversations }, threadId: string) => {
  const thread = await log.getThread(threadId);
  return (thread === undefined ? [] : await conversations.queue(thread)).map(({ content }) => content);
};

async function setUp(agents: readonly Agent[]) {
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread();
  return { log, threadId, ...processOn(log, agents) };
}

/** An agent that waits until the gate opens, and adds what it was sent meanwhile, unless it is deaf. */
const patient = (id: string, hold: Promise<void>, { isDeaf = false } = {}) =>
  scriptedAgent(id, async function* ({ until, params }) {
    await until(hold);
    if (!isDeaf) yield* steeredMessages(params);
  });

describe('a message during a run', () => {
  it('is in the log when it is accepted, and reaches the model at the next safe point', async () => {
    const asking = defineTool({ name: 'echo', description: 'e', input: z.object({}), execute: () => 'done' });
    const model = scriptedModel([{ toolCall: { name: 'echo', input: {} } }, 'Done.']);
    const { log, threadId, control, conversations } = await setUp([loopAgent({ id: 'main', model, tools: [asking] })]);
    const { runId } = await conversations.send(threadId, { content: 'Say hi' });
    let relayId = '';
    for await (const event of log.tail(threadId)) {
      if (event.type === 'relay') relayId = event.id;
      if (relayId !== '') break;
    }
    expect(await conversations.send(threadId, { content: 'be brief' })).toEqual({ runId, steered: true });
    expect((await log.read(threadId)).at(-1)).toMatchObject({ type: 'message_queued', delivery: 'steer' });
    const [run] = control.running();
    await conversations.answer(threadId, relayId, { outcome: 'approve' });
    await run?.done;
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(await said(log, threadId)).toEqual(['Say hi', 'be brief']);
  });

  it.each(['complete', 'aborted'])('that the run did not read begins the next turn, also when it was %s', async how => {
    const hold = gate();
    const { log, threadId, control, conversations } = await setUp([patient('deaf', hold.opened, { isDeaf: true })]);
    const { runId } = await conversations.send(threadId, { content: 'go' });
    await conversations.send(threadId, { content: 'one more thing' });
    if (how === 'aborted') await conversations.abort(runId);
    hold.open();
    let ends = 0;
    for await (const event of log.tail(threadId)) if (event.type === 'harness_end' && ++ends === 2) break;
    expect(await said(log, threadId)).toEqual(['go', 'one more thing']);
    await control.close();
  });

  it('stays in the log, and is delivered by whoever takes the thread over, when its process is gone', async () => {
    const [hold, free] = [gate(), gate()];
    const { log, threadId, control, conversations } = await setUp([patient('worker', hold.opened)]);
    await conversations.send(threadId, { content: 'go' });
    await conversations.send(threadId, { content: 'into it' });
    await conversations.send(threadId, { content: 'after it', delivery: 'follow_up' });
    await control.close();
    free.open();
    const next = processOn(log, [{ ...patient('worker', free.opened), abilities: { resumable: true } }]);
    await next.control.recover();
    await next.conversations.recover();
    await vi.waitFor(async () => expect(await said(log, threadId)).toEqual(['go', 'into it', 'after it']));
    await next.control.close();
  });

  it('of an agent that is not known here waits, and others do not wait for it', async () => {
    const hold = gate();
    const agents = [patient('worker', hold.opened)];
    const { log, threadId, control, conversations } = await setUp(agents);
    const scene = { log, conversations };
    await conversations.send(threadId, { content: 'go' });
    await conversations.enqueue(threadId, { content: 'for another', agent: 'another', delivery: 'follow_up' });
    await conversations.send(threadId, { content: 'for me', delivery: 'follow_up' });
    hold.open();
    await vi.waitFor(async () => expect(await said(log, threadId)).toEqual(['go', 'for me']));
    await Promise.all(control.running().map(({ done }) => done));
    expect(await waitingIn(scene, threadId)).toEqual(['for another']);
  });

  it('does not wait in a branch of its thread', async () => {
    const hold = gate();
    const { log, threadId, conversations } = await setUp([patient('worker', hold.opened)]);
    await conversations.send(threadId, { content: 'go' });
    await conversations.send(threadId, { content: 'later', delivery: 'follow_up' });
    const branch = await log.branch(threadId, (await log.getThread(threadId))?.seq ?? 0);
    expect(await waitingIn({ log, conversations }, branch.id)).toEqual([]);
    hold.open();
  });

  it('goes into the run of another process', async () => {
    const hold = gate();
    const { log, threadId, control, conversations } = await setUp([patient('worker', hold.opened)]);
    const { runId } = await conversations.send(threadId, { content: 'go' });
    const other = processOn(log, [], 'other');
    expect(await other.conversations.enqueue(threadId, { content: 'hello', agent: 'worker' })).toEqual({
      runId,
      steered: true,
    });
    const [run] = control.running();
    // Its process listens for requests of others from 200 ms on.
    await vi.waitFor(async () => {
      await control.steer(threadId);
      hold.open();
    });
    await run?.done;
    expect(await said(log, threadId)).toEqual(['go', 'hello']);
    await other.control.close();
  });
});

describe('a message that two processes have', () => {
  it('is in the log once when another process delivers it while the run of this one adds it', async () => {
    const hold = gate();
    const { log, threadId, control, conversations } = await setUp([patient('main', hold.opened)]);
    await conversations.send(threadId, { content: 'work' });
    const [run] = control.running();
    await conversations.send(threadId, { content: 'more', id: 'm' });
    await log.append(threadId, [{ type: 'user', runId: 'u', id: 'm', content: 'more' }], { once: 'delivered:m' });
    hold.open();
    expect(await run?.done).toBe('complete');
    expect(await said(log, threadId)).toEqual(['work', 'more']);
    await control.close();
  });

  it('does not wait again when one of them stores it after the other delivered it', async () => {
    const hold = gate();
    const { log, threadId, control, conversations } = await setUp([patient('main', hold.opened, { isDeaf: true })]);
    await conversations.send(threadId, { content: 'work' });
    await conversations.enqueue(threadId, { content: 'more', agent: 'main', delivery: 'follow_up' });
    const [waiting] = await conversations.queue((await log.getThread(threadId)) ?? expect.fail('no thread'));
    hold.open();
    await vi.waitFor(async () => expect(await said(log, threadId)).toEqual(['work', 'more']));
    await conversations.store(threadId, { id: waiting?.id ?? '', content: 'more', agent: 'main' });
    expect((await log.getThread(threadId))?.open?.filter(({ kind }) => kind === 'message') ?? []).toEqual([]);
    await control.close();
  });

  it('begins one run, however many processes deliver it at once', async () => {
    const hold = gate();
    const agents = [patient('main', hold.opened, { isDeaf: true })];
    const log = new MemoryLog();
    const { id: threadId } = await log.createThread();
    const team = ['one', 'two', 'three'].map(owner => processOn(log, agents, owner));
    await team[0]?.conversations.send(threadId, { content: 'work' });
    for (const n of [1, 2, 3]) await team[0]?.conversations.send(threadId, { content: `m${n}`, delivery: 'follow_up' });
    hold.open();
    await vi.waitFor(
      async () => {
        await Promise.all(team.map(({ conversations }) => conversations.next(threadId)));
        expect((await log.getThread(threadId))?.open).toBeUndefined();
      },
      { interval: 1 },
    );
    expect(await said(log, threadId)).toEqual(['work', 'm1', 'm2', 'm3']);
    const runs = (await log.read(threadId)).filter(({ type }) => type === 'harness_start');
    expect(runs).toHaveLength(4);
    await Promise.all(team.map(({ control }) => control.close()));
  });
});

describe('a process that only accepts and edits messages', () => {
  it('begins no turn: a message that is sent now becomes the next one', async () => {
    const log = new MemoryLog();
    const { id: threadId } = await log.createThread();
    const agents = [patient('main', Promise.resolve())];
    const control = new Supervisor({ log, agents });
    const offered = { list: () => agents, get: () => agents[0] };
    const conversations = new Conversations({ log, control, agents: offered });
    for (const id of ['a', 'b', 'c'])
      await conversations.store(threadId, { id, content: id, agent: 'main', delivery: 'follow_up' });
    expect(await conversations.sendNow(threadId, 'c')).toEqual({ runId: '', queued: true });
    expect(await conversations.sendNow(threadId, 'c')).toEqual({ runId: '', queued: true });
    await conversations.change(threadId, 'b', { content: 'B' });
    await control.idle(threadId);
    expect(await waitingIn({ log, conversations }, threadId)).toEqual(['c', 'a', 'B']);
    expect(await said(log, threadId)).toEqual([]);
    await control.close();
  });
});

describe('a queue that is held', () => {
  it('is delivered a minute later when nobody releases it', async () => {
    let now = 0;
    const log = new MemoryLog({ now: () => now });
    const { id: threadId } = await log.createThread();
    const agent = patient('main', Promise.resolve());
    const control = new Supervisor({ log, agents: [agent], graceMs: 1 });
    const conversations = new Conversations({ log, control, agents: { list: () => [agent], get: () => agent } });
    await conversations.store(threadId, { id: 'm', content: 'later', agent: 'main', delivery: 'follow_up' });
    await conversations.change(threadId, 'm', { isHeld: true });
    now = 59_999;
    expect([await conversations.next(threadId), await conversations.isHeld(threadId)]).toEqual([undefined, true]);
    now = 60_000;
    expect(await conversations.next(threadId)).toMatchObject({ messageId: 'm' });
    await control.close();
  });

  it('is not taken for held while another process looks whether it is', async () => {
    const log = new MemoryLog({ now: () => 0 });
    const { id: threadId } = await log.createThread();
    const { control, conversations } = processOn(log, []);
    await log.acquireLease(`queue:${threadId}`, { owner: 'another', ttlMs: 1 });
    expect(await conversations.isHeld(threadId)).toBe(false);
    await control.close();
  });
});

describe('a change of the queue', () => {
  it('is made although the run of another process appends events meanwhile', async () => {
    const store: EventLog = new MemoryLog();
    const { id: threadId } = await store.createThread();
    let isBusy = true;
    const append: EventLog['append'] = async (id, events, options) => {
      const isFirst = isBusy && options?.expectedSeq !== undefined;
      if (isFirst) isBusy = false;
      if (isFirst) await store.append(id, [{ type: 'text', runId: 'r', id: 't', content: '…' }]);
      return store.append(id, events, options);
    };
    const log = new Proxy(store, {
      get: (target, name: keyof EventLog) => {
        const value: unknown = name === 'append' ? append : target[name];
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const { control, conversations } = processOn(log, []);
    await conversations.store(threadId, { id: 'm', content: 'later', agent: 'main', delivery: 'follow_up' });
    await conversations.change(threadId, 'm', { content: 'changed' });
    isBusy = true;
    expect(await waitingIn({ log, conversations }, threadId)).toEqual(['changed']);
    await conversations.withdraw(threadId, 'm');
    expect(await waitingIn({ log, conversations }, threadId)).toEqual([]);
    expect([isBusy, (await store.read(threadId)).filter(({ type }) => type === 'text')]).toMatchObject([
      false,
      [{}, {}],
    ]);
    await control.close();
  });
});
