import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { killedLog } from '../../../test/support/killed-log.ts';
import { gate, scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { steeredMessages } from '../../agents/steered-messages.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { deliveredKey } from '../supervision/turn-events.ts';
import { Conversations } from './conversations.ts';
import type { SentMessage } from './sent-message.ts';

interface ServerOptions {
  readonly owner?: string;
  /** Whether it resumes the runs of other servers. */
  readonly resumes?: boolean;
}

/** Conversations in a process of its own, with an agent that adds what it is sent until the gate opens. */
function serverOn(log: EventLog, hold: Promise<void>, { owner, resumes = true }: ServerOptions = {}) {
  const agent = scriptedAgent('worker', async function* ({ params, until }) {
    await until(hold);
    yield* steeredMessages(params);
  });
  const control = new Supervisor({ log, agents: resumes ? [agent] : [], ...(owner !== undefined && { owner }) });
  const agents = { list: () => [{ id: 'worker', name: 'Worker' }], get: () => agent };
  const conversations = new Conversations({ log, control, agents });
  conversations.deliver();
  return { control, conversations };
}

/** Three servers on one log, with a thread; `end` opens the gate and returns the log when nothing is left to do. */
async function team() {
  const log = new MemoryLog();
  const thread = await log.createThread({ title: 'T' });
  const hold = gate();
  const servers = [1, 2, 3].map(n => serverOn(log, hold.opened, { owner: `server-${n}` }));
  const send = async (message: SentMessage, server = 0) => servers[server % 3]?.conversations.send(thread.id, message);
  const edit = async (edits: string, message: SentMessage, server = 0) =>
    servers[server % 3]?.conversations.edit(thread.id, edits, message);
  const sendAlone = async (message: SentMessage, server = 0) => {
    const { conversations } = servers[server % 3] as (typeof servers)[number];
    const { runId, queued } = await conversations.send(thread.id, { ...message, delivery: 'follow_up' });
    return { runId: queued ? conversations.findRun(thread.id, message.id ?? '') : Promise.resolve(runId) };
  };
  const end = async () => {
    hold.open();
    const left = async () => {
      const { metadata, open = [] } = (await log.getThread(thread.id)) as Thread;
      return { metadata, open };
    };
    await vi.waitFor(async () => expect(await left()).toEqual({ metadata: {}, open: [] }), { interval: 1 });
    return log.read(thread.id);
  };
  const close = () => Promise.all(servers.map(({ control }) => control.close()));
  return { log, thread, send, edit, sendAlone, end, close };
}

const said = (events: readonly LoggedEvent[]) =>
  events.flatMap(event => (event.type === 'user' ? [[event.id, event.content]] : []));
const runsIn = (events: readonly LoggedEvent[]) =>
  events.flatMap(event => (event.type === 'harness_start' ? [event.runId] : []));

describe('a message with an id that is sent again', () => {
  it('starts one run, however many come at once to whatever server', async () => {
    const { send, end, close } = await team();
    const message = { content: 'work', id: 'm 1' };
    const receipts = await Promise.all(Array.from({ length: 9 }, (_, n) => send(message, n)));
    const events = await end();
    expect(said(events)).toEqual([['m 1', 'work']]);
    expect(receipts).toEqual(receipts.map(() => ({ runId: runsIn(events)[0] })));
    expect([await send(message), await send(message, 1)]).toEqual(receipts.slice(0, 2));
    expect(runsIn(events)).toHaveLength(1);
    await close();
  });

  it('starts one run of its own, at once or after the run under way, however many come to whatever server', async () => {
    const { sendAlone, end, close } = await team();
    const [first, second] = [
      { content: 'work', id: 'm 1' },
      { content: 'more', id: 'm 2' },
    ];
    const started = await Promise.all(Array.from({ length: 6 }, (_, n) => sendAlone(first, n)));
    const waiting = await Promise.all(Array.from({ length: 6 }, (_, n) => sendAlone(second, n)));
    const events = await end();
    expect(said(events)).toEqual([
      ['m 1', 'work'],
      ['m 2', 'more'],
    ]);
    const [one, two] = runsIn(events);
    expect(await Promise.all(started.map(({ runId }) => runId))).toEqual(started.map(() => one));
    expect(await Promise.all(waiting.map(({ runId }) => runId))).toEqual(waiting.map(() => two));
    await close();
  });

  it('goes into a run once', async () => {
    const { send, end, close } = await team();
    const first = await send({ content: 'work' });
    const message = { content: 'and this', id: 'a' };
    const receipts = await Promise.all(Array.from({ length: 6 }, (_, n) => send(message, n)));
    expect(receipts).toEqual(receipts.map(() => ({ runId: first?.runId, steered: true })));
    const events = await end();
    expect(said(events)).toEqual([
      [undefined, 'work'],
      ['a', 'and this'],
    ]);
    expect(await send(message, 2)).toEqual(receipts[0]);
    await close();
  });

  it('waits once, and has the run that it started for a receipt afterwards', async () => {
    const { send, end, close } = await team();
    const first = await send({ content: 'work' });
    const message = { content: 'later', id: 'z', delivery: 'follow_up' } as const;
    const receipts = await Promise.all(Array.from({ length: 6 }, (_, n) => send(message, n)));
    await send({ content: 'last', id: 'a', delivery: 'follow_up' });
    expect(receipts).toEqual(receipts.map(() => ({ runId: first?.runId, queued: true })));
    const events = await end();
    expect(said(events)).toEqual([
      [undefined, 'work'],
      ['z', 'later'],
      ['a', 'last'],
    ]);
    expect(await send(message, 1)).toEqual({ runId: runsIn(events)[1] });
    await close();
  });

  it.each(['steer', 'follow_up'] as const)(
    'is stored by no other process that has it, once delivered as %s',
    async how => {
      const { log, thread, send, end, close } = await team();
      await send({ content: 'work' });
      await send({ content: 'and this', id: 'a', delivery: how });
      await end();
      const again = { type: 'user', runId: 'another', id: 'a', content: 'and this' } as const;
      const storing = log.append(thread.id, [again], { once: deliveredKey('a') });
      await expect(storing).rejects.toMatchObject({ code: 'once_conflict' });
      await close();
    },
  );

  it('edits once, also while the run of the edit is under way', async () => {
    const { log, thread, send, edit, end, close } = await team();
    await send({ content: 'work' });
    await end();
    const [asked] = await log.read(thread.id);
    const message = { content: 'other work', id: 'e' };
    const edits = `${asked?.runId}:user`;
    const receipts = await Promise.all([edit(edits, message), edit(edits, message, 1), edit(edits, message)]);
    const events = await end();
    expect(receipts).toEqual(receipts.map(() => ({ runId: runsIn(events)[1] })));
    expect(said(events)).toEqual([
      [undefined, 'work'],
      ['e', 'other work'],
    ]);
    await close();
  });

  it('is another message in another thread', async () => {
    const { log, send, thread, close } = await team();
    const other = await log.createThread();
    const message = { content: 'work', id: 'm' };
    const here = await send(message);
    const server = serverOn(log, Promise.resolve());
    expect((await server.conversations.send(other.id, message)).runId).not.toBe(here?.runId);
    expect([(await log.read(thread.id)).length > 0, (await log.read(other.id)).length > 0]).toEqual([true, true]);
    await Promise.all([close(), server.control.close()]);
  });

  it.each([
    ['resumes', true],
    ['ends', false],
  ])('is received once when its server is killed anywhere and another one %s the run', async (_, resumes) => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const owner = `${hostname()}/${pid}/x`;
    for (let writes = 0, isWhole = false; !isWhole; writes++) {
      const store = new MemoryLog();
      const thread: Thread = await store.createThread({ title: 'T' });
      const { log, killed } = killedLog(store, writes);
      const message = { content: 'work', id: 'm' };
      const first = serverOn(log, Promise.resolve(), { owner });
      const whole = (async () => {
        const { runId } = await first.conversations.send(thread.id, message);
        for await (const event of store.tail(thread.id))
          if (event.type === 'harness_end' && event.runId === runId) return true;
        return true;
      })();
      isWhole = await Promise.race([whole, killed.then(() => false)]);
      const next = serverOn(store, Promise.resolve(), { resumes });
      const { runId } = await next.conversations.send(thread.id, message);
      await vi.waitFor(() => expect(next.control.running()).toEqual([]), { interval: 1 });
      const events = await store.read(thread.id);
      expect([writes, said(events), runsIn(events)]).toEqual([writes, [['m', 'work']], [runId]]);
      await next.control.close();
    }
  });
});
