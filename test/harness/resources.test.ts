import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Harness, HarnessConfig } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { calls, gate, scene, waitingTool, yolo } from './scene.ts';

const modes = ['main', 'plan'].map(id => ({ id, name: id }));

/** Threads `first-1`, `first-2`, `second-1`, `second-2` of two resources, and a lock that waits before it is taken. */
async function twoPeople({ wait, ...config }: Partial<HarnessConfig> & { wait?: () => Promise<void> } = {}) {
  const storage = new MemoryLog();
  for (const resourceId of ['first', 'second'])
    for (const n of [1, 2]) await storage.createThread({ id: `${resourceId}-${n}`, resourceId });
  const threadLock = { acquire: async () => wait?.(), release: async () => {} };
  const { harness, on } = scene(({ lastUserText }) => `To ${lastUserText}`, {
    storage,
    threadLock,
    resourceId: 'first',
    ...config,
  });
  const said = async (threadId: string) =>
    (await storage.read(threadId)).flatMap(event => (event.type === 'user' ? [textOf(event.content)] : []));
  return { harness, on, storage, said };
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join(' ');

describe('a resource that is chosen while calls are queued', () => {
  it('keeps later messages out of the thread that was being opened', async () => {
    const lock = gate();
    const { harness, storage, said } = await twoPeople({ wait: () => lock.opened });
    const switching = harness.switchThread({ threadId: 'first-1' });
    harness.setResourceId({ resourceId: 'second' });
    expect([harness.getResourceId(), harness.getCurrentThreadId()]).toEqual(['second', null]);
    lock.open();
    await switching;
    await harness.sendMessage({ content: 'secret' });
    expect(await said('first-1')).toEqual([]);
    const thread = await storage.getThread(harness.getCurrentThreadId() ?? '');
    expect(thread?.resourceId).toBe('second');
    expect(await said(thread?.id ?? '')).toEqual(['secret']);
  });

  it('assigns a thread that is being created, selected or cloned to the previous resource', async () => {
    const { harness } = await twoPeople();
    const created = harness.createThread();
    harness.setResourceId({ resourceId: 'second' });
    const selected = harness.selectOrCreateThread();
    harness.setResourceId({ resourceId: 'first' });
    await harness.switchThread({ threadId: 'first-2' });
    const cloned = harness.cloneThread();
    harness.setResourceId({ resourceId: 'second' });
    const threads = await Promise.all([created, selected, cloned]);
    expect(threads.map(({ resourceId }) => resourceId)).toEqual(['first', 'second', 'first']);
  });

  it.each<[string, (harness: Harness) => Promise<unknown>, object]>([
    ['renameThread', harness => harness.renameThread({ title: 'New' }), { title: 'New' }],
    ['setThreadSetting', harness => harness.setThreadSetting({ key: 'k', value: 1 }), { metadata: { k: 1 } }],
    ['switchMode', harness => harness.switchMode({ modeId: 'plan' }), { metadata: { currentModeId: 'plan' } }],
  ])('lets %s take effect in the thread of the calls before it', async (_, choose, kept) => {
    const agent = { id: 'none', async *invoke() {} };
    const { harness, storage } = await twoPeople({ modes: modes.map(mode => ({ ...mode, agent })) });
    const waiting = [harness.switchThread({ threadId: 'first-1' }), choose(harness)];
    harness.setResourceId({ resourceId: 'second' });
    const { id } = await harness.createThread();
    await Promise.all(waiting);
    expect(await storage.getThread('first-1')).toMatchObject(kept);
    expect(await storage.getThread(id)).toMatchObject({ resourceId: 'second' });
    expect((await storage.getThread(id))?.metadata['k']).toBeUndefined();
  });

  it.each(['sendMessage', 'steer', 'followUp'] as const)(
    'stores the message of %s in the thread it was sent to',
    async name => {
      const lock = gate();
      const { harness, on, said } = await twoPeople({ wait: () => lock.opened });
      const waiting = [harness.switchThread({ threadId: 'first-1' }), harness[name]({ content: 'mine' })];
      harness.setResourceId({ resourceId: 'second' });
      const saying = harness[name]({ content: 'yours' });
      lock.open();
      await Promise.all([...waiting, saying, on('agent_end')]);
      expect(await said('first-1')).toEqual(['mine']);
      expect(await said(harness.getCurrentThreadId() ?? '')).toEqual(['yours']);
    },
  );

  it('stores a message that a run did not read in the thread of the run', async () => {
    const { tool, begun, end } = waitingTool();
    const script = [[calls('wait')], 'Done.', 'Never.'];
    const storage = new MemoryLog();
    const { harness, model } = scene(script, { storage, resourceId: 'first', tools: { wait: tool }, ...yolo });
    const late = new Promise<void>(resolve => {
      harness.subscribe(event => {
        if (event.type !== 'message_end' || event.message.role !== 'assistant' || model.requests.length < 2) return;
        void harness.sendMessage({ content: 'late' });
        harness.setResourceId({ resourceId: 'second' });
        resolve();
      });
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    end.open();
    await Promise.all([sending, late]);
    await harness.createThread();
    const threads = await storage.listThreads();
    expect(threads.map(({ resourceId }) => resourceId).toSorted()).toEqual(['first', 'second']);
    const first = threads.find(({ resourceId }) => resourceId === 'first');
    const users = (await storage.read(first?.id ?? '')).filter(({ type }) => type === 'user');
    expect(users).toHaveLength(2);
  });

  it('accepts no reminder of the previous resource', async () => {
    const { harness, storage, said } = await twoPeople();
    await harness.switchThread({ threadId: 'first-1' });
    const saving = harness.saveSystemReminderMessage({ message: 'Be kind.', reminderType: 'tone' });
    harness.setResourceId({ resourceId: 'second' });
    await harness.switchThread({ threadId: 'second-1' });
    await saving;
    expect(await said('second-1')).toEqual([]);
    expect((await storage.getThread('second-1'))?.seq).toBe(0);
  });

  it('lists the threads of the resource in effect at the call', async () => {
    const { harness } = await twoPeople();
    const before = harness.listThreads();
    const creating = harness.createThread();
    harness.setResourceId({ resourceId: 'second' });
    const after = harness.listThreads();
    await creating;
    for (const [listed, resourceId] of [[await before, 'first'] as const, [await after, 'second'] as const])
      expect(new Set(listed.map(thread => thread.resourceId))).toEqual(new Set([resourceId]));
  });
});

type Act = (harness: Harness, resourceId: string, n: number) => Promise<unknown> | void;
const acts: Record<string, Act> = {
  'choose first': harness => harness.setResourceId({ resourceId: 'first' }),
  'choose second': harness => harness.setResourceId({ resourceId: 'second' }),
  create: (harness, title) => harness.createThread({ title }),
  select: harness => harness.selectOrCreateThread(),
  'switch to 1': (harness, resourceId) => harness.switchThread({ threadId: `${resourceId}-1` }),
  'switch to 2': (harness, resourceId) => harness.switchThread({ threadId: `${resourceId}-2` }),
  clone: (harness, title) => harness.cloneThread({ title }),
  rename: (harness, title) => harness.renameThread({ title }),
  delete: (harness, resourceId) => harness.memory.deleteThread({ threadId: `${resourceId}-2` }),
  send: (harness, resourceId, n) => harness.sendMessage({ content: `${resourceId} said ${n}` }),
  steer: (harness, resourceId, n) => harness.steer({ content: `${resourceId} steers ${n}` }),
  'follow up': (harness, resourceId, n) => harness.followUp({ content: `${resourceId} follows ${n}` }),
  remind: (harness, resourceId) =>
    harness.saveSystemReminderMessage({ message: `${resourceId} reminds`, reminderType: 'tone' }),
  tasks: (harness, content, n) => harness.setState({ tasks: [{ id: `${n}`, content, status: 'pending' }] } as never),
  abort: harness => harness.abort(),
  wait: async () => {},
};

it('separates two people, whatever they call in any order', async () => {
  const act = fc.record({ name: fc.constantFrom(...Object.keys(acts)), ticks: fc.nat(12) });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 12 }), fc.nat(20), async (sequence, slowness) => {
      const { harness, storage } = await twoPeople({ wait: () => pass(slowness) });
      const doing: Promise<unknown>[] = [];
      for (const [n, { name, ticks }] of sequence.entries()) {
        doing.push(Promise.resolve(acts[name]?.(harness, harness.getResourceId(), n)).catch(() => {}));
        await pass(name === 'wait' ? ticks * 10 : ticks % 3 === 0 ? 0 : ticks);
      }
      await Promise.all(doing);
      await harness.createThread();
      const open = harness.getResourceId();
      const all: string[] = [];
      for (const { id, resourceId, title } of await storage.listThreads()) {
        expect(title ?? resourceId).toBe(resourceId);
        for (const event of await storage.read(id)) {
          const text =
            event.type === 'user' ? textOf(event.content) : event.type === 'tasks' ? JSON.stringify(event) : '';
          expect(text).not.toContain(resourceId === 'first' ? 'second' : 'first');
          if (event.type === 'user' && text.includes(' said ')) all.push(text);
        }
      }
      expect((await storage.getThread(harness.getCurrentThreadId() ?? ''))?.resourceId).toBe(open);
      await harness.destroy();
      const deletes = sequence.some(({ name }) => name === 'delete' || name === 'clone');
      const sends = sequence.filter(({ name }) => name === 'send').length;
      if (!deletes) expect(all.flatMap(text => text.match(/said/g) ?? [])).toHaveLength(sends);
    }),
    { numRuns: 80 },
  );
});

/** Lets what is on its way go on for a while. */
async function pass(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
}
