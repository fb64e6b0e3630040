import { describe, expect, it, vi } from 'vitest';
import { Harness, type HarnessConfig } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { unpaired } from '../support/unpaired-events.ts';
import { calls, echo, gate, isDetached, scene, watch } from './scene.ts';

/** A harness whose agent works on `slow` until it is aborted and `end` opens; it answers all other messages at once. */
function slow(config: Partial<HarnessConfig> = {}) {
  const storage = config.storage ?? new MemoryLog();
  const working = gate();
  const end = gate();
  const agent = scriptedAgent(
    'main',
    async function* ({
      event,
      params: {
        run: { signal },
        conversation: { messages },
      },
    }) {
      const last = JSON.stringify(messages.at(-1));
      yield event('text', { id: 't', content: `To ${last}` });
      if (!last.includes('slow')) return;
      working.open();
      await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
      await end.opened;
    },
  );
  const held = new Set<string>();
  const threadLock = { acquire: (id: string) => void held.add(id), release: (id: string) => void held.delete(id) };
  const harness = new Harness({ id: 'h', modes: [{ id: 'm', agent }], storage, threadLock, ...config });
  const log = async (threadId: string, type: string) =>
    (await storage.read(threadId)).flatMap(event =>
      event.type === type ? [String((event as { content?: unknown }).content)] : [],
    );
  const asked = (threadId: string) => log(threadId, 'user');
  const answers = async (threadId: string) => (await log(threadId, 'text')).length;
  return { ...watch(harness), storage, working, end, held, asked, answers };
}

describe('a message that is sent while the previous turn is stopping', () => {
  it('is stored in the thread that the calls before it lead to', async () => {
    const { harness, working, end, asked, answers } = slow();
    const first = harness.sendMessage({ content: 'slow' });
    await working.opened;
    const a = harness.createThread();
    const one = harness.sendMessage({ content: 'one' });
    const b = harness.createThread();
    const two = harness.sendMessage({ content: 'two' });
    end.open();
    await Promise.all([first, one, two]);
    expect(await asked((await a).id)).toEqual(['one']);
    expect(await asked((await b).id)).toEqual(['two']);
    expect(await answers((await b).id)).toBe(1);
  });

  it('stays there when two more threads are opened', async () => {
    const { harness, working, end, asked } = slow();
    const c = await harness.createThread();
    await harness.createThread();
    const first = harness.sendMessage({ content: 'slow' });
    await working.opened;
    const a = harness.createThread();
    const one = harness.sendMessage({ content: 'one' });
    const b = harness.createThread();
    const switched = harness.switchThread({ threadId: c.id });
    end.open();
    await Promise.all([first, one, switched]);
    expect(await asked((await a).id)).toEqual(['one']);
    expect(await asked((await b).id)).toEqual([]);
    expect(await asked(c.id)).toEqual([]);
  });

  it('stays in the aborted thread that is left twice', async () => {
    const { harness, working, end, asked } = slow();
    const { id } = await harness.createThread();
    const first = harness.sendMessage({ content: 'slow' });
    await working.opened;
    harness.abort();
    const one = harness.sendMessage({ content: 'one' });
    const a = harness.createThread();
    const two = harness.sendMessage({ content: 'two' });
    const b = harness.createThread();
    end.open();
    await Promise.all([first, one, two, b]);
    expect(await asked(id)).toEqual(['slow', 'one']);
    expect(await asked((await a).id)).toEqual(['two']);
    expect(await asked((await b).id)).toEqual([]);
  });
});

describe('an open thread that is deleted elsewhere', () => {
  it.each(['as it was created', 'as a clone'])('is closed and its lock released, %s, during a run', async how => {
    const { harness, storage, working, end, held, events, on } = slow();
    await harness.createThread();
    if (how === 'as a clone') await harness.sendMessage({ content: 'hello' });
    if (how === 'as a clone') await harness.cloneThread();
    const sending = harness.sendMessage({ content: 'slow' }).catch(() => {});
    await working.opened;
    await expect.poll(() => events.at(-1)?.type).toBe('display_state_changed');
    end.open();
    await storage.deleteThread(harness.getCurrentThreadId() ?? '');
    expect((await on('error')).error).toMatchObject({ code: 'thread_not_found' });
    await sending;
    await expect.poll(() => [harness.isRunning(), harness.getCurrentThreadId()]).toEqual([false, null]);
    await expect.poll(() => [...held]).toEqual([]);
    expect(harness.getDisplayState()).toMatchObject({ isRunning: false, pendingApproval: null });
    expect(unpaired(events)).toEqual([]);
    await harness.sendMessage({ content: 'again' });
    expect([...held]).toEqual([harness.getCurrentThreadId()]);
    await harness.destroy();
  });

  it('is closed by the next message when nothing runs', async () => {
    const { harness, storage, held } = slow();
    const { id } = await harness.createThread();
    await storage.deleteThread(id);
    await expect(harness.sendMessage({ content: 'hello' })).rejects.toMatchObject({ code: 'thread_not_found' });
    await expect.poll(() => [harness.getCurrentThreadId(), ...held]).toEqual([null]);
    await harness.sendMessage({ content: 'again' });
    expect(await harness.listMessages()).toHaveLength(2);
  });
});

describe('events of a run', () => {
  it.each<[string, (harness: Harness) => unknown]>([
    ['setResourceId', harness => harness.setResourceId({ resourceId: 'other' })],
    ['deleteThread', harness => harness.memory.deleteThread({ threadId: harness.getCurrentThreadId() ?? '' })],
    ['switchThread', harness => harness.createThread()],
  ])('are paired when %s closes its thread', async (_, close) => {
    const { harness, working, end, events, on } = slow();
    const sending = harness.sendMessage({ content: 'slow' });
    await working.opened;
    await on('message_update');
    const closed = close(harness);
    end.open();
    await Promise.all([sending, closed]);
    expect(events.some(({ type }) => type === 'agent_end')).toBe(true);
    expect(unpaired(events)).toEqual([]);
  });

  it('are paired in a harness that takes the run over, and in one that leaves it', async () => {
    const storage = new MemoryLog();
    const script = [[{ text: 'Well.' }, calls('echo', { value: 'a' })], 'Done.'];
    const first = scene(script, { storage, tools: { echo } });
    const sending = first.harness.sendMessage({ content: 'Go.' });
    await first.on('tool_approval_required');
    const [second, third] = [scene(['Done.'], { storage, tools: { echo } }), scene([], { storage, tools: { echo } })];
    await third.harness.selectOrCreateThread();
    await third.harness.createThread();
    await first.harness.destroy();
    await isDetached(sending);
    await second.harness.selectOrCreateThread();
    await second.harness.switchThread({
      threadId: first.events.flatMap(event => (event.type === 'thread_created' ? event.thread.id : []))[0] ?? '',
    });
    second.harness.respondToToolApproval({ decision: 'approve' });
    await second.on('agent_end');
    expect(second.of('message_end').length).toBeGreaterThan(0);
    for (const { events } of [second, third]) {
      expect(events.some(({ type }) => type === 'agent_end')).toBe(true);
      expect(unpaired(events)).toEqual([]);
    }
  });
});

describe('a follow-up behind a message for the run of another harness', () => {
  it('waits there, and is answered there after the message', async () => {
    const storage = new MemoryLog();
    const first = slow({ storage });
    void first.harness.sendMessage({ content: 'slow' });
    await first.working.opened;
    const second = slow({ storage });
    await second.harness.selectOrCreateThread();
    const sent = second.harness.sendMessage({ content: 'one' });
    const followed = second.harness.followUp({ content: 'two' });
    await Promise.all([sent, followed]);
    first.end.open();
    first.harness.abort();
    const threadId = second.harness.getCurrentThreadId() ?? '';
    await vi.waitFor(async () => expect(await second.asked(threadId)).toEqual(['slow', 'one', 'two']));
  });
});

describe('a follow-up behind a message that is refused', () => {
  it('is answered when the message is refused for another reason', async () => {
    const ids = ['thread', 'run', 'run', 'another'];
    const { harness, answers } = slow({ idGenerator: () => ids.shift() ?? 'more' });
    await harness.sendMessage({ content: 'zero' });
    const sent = harness.sendMessage({ content: 'one' });
    const followed = harness.followUp({ content: 'two' });
    await expect(sent).rejects.toMatchObject({ code: 'invalid_argument' });
    await followed;
    expect(await answers('thread')).toBe(2);
  });
});
