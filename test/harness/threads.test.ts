import { describe, expect, it } from 'vitest';
import type { HarnessConfig } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { calls, scene, type SceneOptions, sent, waitingTool, yolo } from './scene.ts';

/** Locks that note what happens to them; those in `held` belong to somebody else. */
function locks(held: readonly string[] = []) {
  const log: string[] = [];
  const mine = new Set<string>();
  const threadLock: HarnessConfig['threadLock'] = {
    acquire: id => {
      log.push(`acquire ${id}`);
      if (held.includes(id)) throw new Error(`${id} is locked`);
      mine.add(id);
    },
    release: async id => {
      log.push(`release ${id}`);
      mine.delete(id);
    },
  };
  return { log, mine: () => [...mine], threadLock };
}

function numbered(options: SceneOptions = {}) {
  let count = 0;
  return scene(() => 'Hello!', { idGenerator: () => `t${++count}`, ...options });
}

describe('threads', () => {
  it('are created with a title, the mode and the model, and opened', async () => {
    const { harness, lines, of } = numbered({ initialState: { currentModelId: 'a/b' } });
    const thread = await harness.createThread({ title: 'First' });
    expect(thread).toMatchObject({ id: 't1', resourceId: 'harness', title: 'First' });
    expect(thread.metadata).toEqual({ currentModeId: 'main', currentModelId: 'a/b', modeModelId_main: 'a/b' });
    expect(thread.createdAt).toBeInstanceOf(Date);
    expect(harness.getCurrentThreadId()).toBe('t1');
    expect(lines()).toEqual(['thread_created']);
    expect(of('thread_created')[0]?.thread).toEqual(thread);
  });

  it('are selected by their last use, or created', async () => {
    let now = 0;
    const storage = new MemoryLog({ now: () => ++now * 1000 });
    const first = numbered({ storage });
    expect(await first.harness.selectOrCreateThread()).toMatchObject({ id: 't1' });
    await first.harness.createThread();
    await first.harness.switchThread({ threadId: 't1' });
    await first.harness.sendMessage({ content: 'Hi.' });
    await first.harness.destroy();
    const second = numbered({ storage });
    expect(await second.harness.selectOrCreateThread()).toMatchObject({ id: 't1' });
    expect(second.of('thread_changed')).toMatchObject([{ threadId: 't1', previousThreadId: null }]);
    await second.harness.selectOrCreateThread();
    expect(second.of('thread_changed')).toHaveLength(1);
  });

  it('are selected by recency also when they were changed in the same millisecond', async () => {
    const storage = new MemoryLog({ now: () => 1000 });
    const first = numbered({ storage });
    await first.harness.createThread();
    await first.harness.createThread();
    const second = numbered({ storage });
    expect(await second.harness.selectOrCreateThread()).toMatchObject({ id: 't2' });
  });

  it('are listed for the resource, or for all; those of forks only on request', async () => {
    const storage = new MemoryLog();
    await storage.createThread({ id: 'fork', resourceId: 'harness', metadata: { forkedSubagent: true } });
    await storage.createThread({ id: 'other', resourceId: 'elsewhere' });
    const { harness } = numbered({ storage });
    await harness.createThread();
    const ids = async (options?: Parameters<typeof harness.listThreads>[0]) =>
      (await harness.listThreads(options)).map(({ id }) => id).toSorted();
    expect(await ids()).toEqual(['t1']);
    expect(await ids({ allResources: true })).toEqual(['other', 't1']);
    expect(await ids({ includeForkedSubagents: true })).toEqual(['fork', 't1']);
    expect(await harness.getKnownResourceIds()).toEqual(['elsewhere', 'harness']);
  });

  it('are listed beyond a page', async () => {
    const storage = new MemoryLog();
    for (let at = 0; at < 450; at++) await storage.createThread({ resourceId: 'harness' });
    const { harness } = numbered({ storage });
    expect(new Set((await harness.listThreads()).map(({ id }) => id)).size).toBe(450);
  });

  it('are renamed', async () => {
    const { harness } = numbered();
    await expect(harness.renameThread({ title: 'X' })).rejects.toMatchObject({ code: 'thread_not_found' });
    await harness.createThread();
    await harness.renameThread({ title: 'Named' });
    expect(await harness.listThreads()).toMatchObject([{ title: 'Named' }]);
  });

  it('that are long are reported while they are read', async () => {
    const storage = new MemoryLog();
    await storage.createThread({ id: 'long', resourceId: 'harness' });
    const asked = (at: number) => ({ type: 'user', runId: `u${at}`, content: `question ${at}` }) as const;
    await storage.append(
      'long',
      Array.from({ length: 5_000 }, (_, at) => asked(at)),
    );
    const { harness, of } = numbered({ storage });
    await harness.switchThread({ threadId: 'long' });
    expect(of('thread_reading')).toEqual(
      [2_000, 4_000].map(seq => ({ type: 'thread_reading', threadId: 'long', seq, lastSeq: 5_000 })),
    );
  });

  it('are deleted; the open one is closed', async () => {
    const { harness, lines, of } = numbered();
    await harness.createThread();
    await harness.createThread();
    await harness.memory.deleteThread({ threadId: 't1' });
    expect(harness.getCurrentThreadId()).toBe('t2');
    await harness.memory.deleteThread({ threadId: 't2' });
    expect(harness.getCurrentThreadId()).toBe(null);
    expect(of('thread_deleted').map(({ threadId }) => threadId)).toEqual(['t1', 't2']);
    expect(lines()).toEqual(['thread_created', 'thread_deleted'].flatMap(type => [type]));
    await expect(harness.memory.deleteThread({ threadId: 't2' })).rejects.toMatchObject({ code: 'thread_not_found' });
    expect(await harness.listThreads()).toEqual([]);
  });

  it.each(['at rest', 'that another process works in'])('%s stay open when they cannot be deleted', async place => {
    const storage = new MemoryLog();
    const { tool, begun, end } = waitingTool();
    const script = place === 'at rest' ? () => 'Hello!' : [[calls('wait')], 'Done.'];
    const first = scene(script, { storage, tools: { wait: tool }, ...yolo });
    const { id: threadId } = await first.harness.createThread();
    const sending = first.harness.sendMessage({ content: 'a' });
    await (place === 'at rest' ? sending : begun.opened);
    const { harness, lines, on } = scene(() => 'Hello again!', { storage });
    await harness.selectOrCreateThread();
    storage.deleteThread = () => Promise.reject(new Error('The disk is full.'));
    await expect(harness.memory.deleteThread({ threadId })).rejects.toThrow('The disk is full.');
    expect(harness.getCurrentThreadId()).toBe(threadId);
    if (place === 'at rest') await harness.sendMessage({ content: 'b' });
    end.open();
    await on('agent_end');
    expect(lines().at(-1)).toBe('agent_end complete');
    expect((await harness.listMessages()).at(-1)?.content.at(-1)).toEqual({
      type: 'text',
      text: place === 'at rest' ? 'Hello again!' : 'Done.',
    });
    await sending;
  });

  it('are managed through memory, too', async () => {
    const { harness } = numbered();
    const { memory } = harness;
    await memory.createThread({ title: 'A' });
    await memory.createThread();
    await memory.switchThread({ threadId: 't1' });
    await memory.renameThread({ title: 'B' });
    expect((await memory.listThreads()).map(({ id, title }) => `${id} ${title}`).toSorted()).toEqual([
      't1 B',
      't2 undefined',
    ]);
  });

  it('store settings under their keys', async () => {
    const { harness } = numbered();
    await harness.createThread();
    await harness.setThreadSetting({ key: 'colour', value: 'red' });
    expect((await harness.listThreads())[0]?.metadata).toMatchObject({ colour: 'red' });
    await harness.setThreadSetting({ key: 'colour', value: null });
    expect((await harness.listThreads())[0]?.metadata).not.toHaveProperty('colour');
  });

  it('are returned with the session', async () => {
    const { harness } = numbered();
    expect(await harness.getSession()).toEqual({ currentThreadId: null, currentModeId: 'main', threads: [] });
    const thread = await harness.createThread();
    expect(await harness.getSession()).toEqual({ currentThreadId: 't1', currentModeId: 'main', threads: [thread] });
  });
});

describe('switching threads', () => {
  it('aborts the active run, and shows the other thread', async () => {
    const { tool, begun } = waitingTool();
    const { harness, lines, of } = scene(({ index }) => (index === 0 ? [calls('wait')] : 'Hello!'), {
      tools: { wait: tool },
      ...yolo,
    });
    const { id: other } = await harness.createThread();
    const { id } = await harness.createThread();
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.switchThread({ threadId: other });
    await sending;
    expect(lines().slice(-2)).toEqual(['agent_end aborted', 'thread_changed']);
    expect(of('thread_changed')).toMatchObject([{ threadId: other, previousThreadId: id }]);
    expect(harness.getDisplayState()).toMatchObject({ isRunning: false, currentMessage: null });
    expect(await harness.listMessages()).toEqual([]);
    expect(await harness.listMessagesForThread({ threadId: id })).toHaveLength(2);
    expect(await harness.listMessagesForThread({ threadId: id, limit: 1 })).toMatchObject([{ stopReason: 'aborted' }]);
  });

  it('leaves follow-ups in their thread: they are shown there again, and sent after its next turn', async () => {
    const { tool, begun } = waitingTool();
    const { harness, model, of, on } = scene(({ index }) => (index === 0 ? [calls('wait')] : 'Done.'), {
      tools: { wait: tool },
      ...yolo,
    });
    const { id: threadId } = await harness.createThread();
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.followUp({ content: 'Later.' });
    await harness.createThread();
    await sending;
    expect(harness.getFollowUpCount()).toBe(0);
    await harness.switchThread({ threadId });
    expect([harness.getFollowUpCount(), of('follow_up_queued').at(-1)?.count]).toEqual([1, 1]);
    expect(model.requests).toHaveLength(1);
    await harness.sendMessage({ content: 'Next.' });
    await on('agent_end', 3);
    expect(harness.getFollowUpCount()).toBe(0);
    const users = sent(model).filter(text => text.startsWith('user'));
    expect(users).toEqual(['user: Go.', 'user: Next.', 'user: Later.']);
  });
});

describe('a message that is being sent', () => {
  const heard = async ({ harness }: ReturnType<typeof scene>, threadId: string) =>
    (await harness.listMessagesForThread({ threadId })).map(({ role, content }) => {
      return `${role}: ${content.map(part => (part.type === 'text' ? part.text : part.type)).join()}`;
    });

  it('stays in its thread, and is aborted with it, when another one is created meanwhile', async () => {
    const made = scene(({ lastUserText }) => `To ${lastUserText}`);
    const { harness } = made;
    const a = await harness.createThread({ title: 'A' });
    const sending = harness.sendMessage({ content: 'A' });
    const b = await harness.createThread({ title: 'B' });
    await sending;
    expect(made.of('agent_end').map(({ reason }) => reason)).toEqual(['aborted']);
    expect([harness.isRunning(), harness.getDisplayState().isRunning]).toEqual([false, false]);
    expect((await heard(made, a.id))[0]).toBe('user: A');
    await harness.sendMessage({ content: 'B' });
    expect(await heard(made, a.id)).not.toContain('user: B');
    expect(await heard(made, b.id)).toEqual(['user: B', 'assistant: To B']);
  });

  it('belongs to the thread that is created before it', async () => {
    const made = scene(['Hello!']);
    await made.harness.createThread();
    const creating = made.harness.createThread();
    await made.harness.sendMessage({ content: 'Hi.' });
    expect(await heard(made, (await creating).id)).toEqual(['user: Hi.', 'assistant: Hello!']);
  });

  it('stays in its thread when the resource changes at the same time', async () => {
    const made = scene(['Hello!']);
    const { harness } = made;
    const { id } = await harness.createThread();
    const sending = harness.sendMessage({ content: 'Hi.' });
    harness.setResourceId({ resourceId: 'other' });
    await sending;
    expect(harness.getCurrentThreadId()).toBe(null);
    expect(await harness.listThreads()).toEqual([]);
    expect(await heard(made, id)).toEqual(['user: Hi.']);
  });

  it('stays in its resource with later messages, also when no thread was open', async () => {
    for (const isOpen of [true, false]) {
      const made = scene(['Hello!']);
      const { harness } = made;
      if (isOpen) await harness.createThread();
      const sending = ['Hi.', 'And?'].map(content => harness.sendMessage({ content }));
      harness.setResourceId({ resourceId: 'other' });
      await Promise.all(sending);
      const threads = await harness.listThreads({ allResources: true });
      expect(threads.map(({ resourceId }) => resourceId)).toEqual(['harness']);
      expect(await heard(made, threads[0]?.id ?? '')).toEqual(['user: Hi.', 'user: And?']);
    }
  });

  /** A harness whose thread `a` has a run under way, and another thread. */
  async function busy() {
    const { tool, begun } = waitingTool();
    const wait = [calls('wait')];
    const made = scene(({ lastUserText }) => (lastUserText === 'Go.' ? wait : `To ${lastUserText}`), {
      tools: { wait: tool },
      ...yolo,
    });
    const b = await made.harness.createThread({ title: 'B' });
    const a = await made.harness.createThread({ title: 'A' });
    const sending = made.harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    return { ...made, a, b, sending, in: (threadId: string) => heard(made, threadId) };
  }

  it('belongs to the thread that is switched to before it, also during a run', async () => {
    const { harness, a, b, sending, in: heardIn } = await busy();
    const switching = harness.switchThread({ threadId: b.id });
    await harness.sendMessage({ content: 'B' });
    await Promise.all([switching, sending]);
    expect(await heardIn(b.id)).toEqual(['user: B', 'assistant: To B']);
    expect(await heardIn(a.id)).not.toContain('user: B');
  });

  it('after an aborted run stays in the thread when that is closed', async () => {
    const { harness, a, b, sending, in: heardIn } = await busy();
    harness.abort();
    const sent = harness.sendMessage({ content: 'A' });
    await harness.switchThread({ threadId: b.id });
    await Promise.all([sent, sending]);
    expect(await heardIn(b.id)).toEqual([]);
    expect(await heardIn(a.id)).toContain('user: A');
  });

  it('is injected into the active run when the switch fails', async () => {
    const { harness, a, b, sending, in: heardIn } = await busy();
    const deleting = harness.memory.deleteThread({ threadId: b.id });
    const sent = harness.sendMessage({ content: 'A' });
    await Promise.all([deleting, sent]);
    harness.abort();
    await sending;
    expect(await heardIn(a.id)).toEqual(['user: Go.', 'assistant: tool_call', 'user: A']);
  });
});

describe('a clone', () => {
  it('has all messages, no usage, and is open; both continue independently', async () => {
    const { harness, lines, model } = numbered();
    await harness.createThread({ title: 'Source' });
    await harness.sendMessage({ content: 'One.' });
    expect(harness.getTokenUsage().totalTokens).toBeGreaterThan(0);
    const clone = await harness.cloneThread();
    expect(clone).toMatchObject({ id: 't3', title: 'Source', resourceId: 'harness' });
    expect(clone.tokenUsage).toBe(undefined);
    expect(lines().at(-1)).toBe('thread_created');
    expect(harness.getTokenUsage().totalTokens).toBe(0);
    expect(await harness.listMessages()).toHaveLength(2);
    await harness.sendMessage({ content: 'Two.' });
    expect(sent(model)).toEqual(['user: One.', 'assistant: Hello!', 'user: Two.']);
    await harness.switchThread({ threadId: 't1' });
    expect(await harness.listMessages()).toHaveLength(2);
    const [first] = (await harness.listThreads()).filter(({ id }) => id === 't1');
    expect(first?.tokenUsage).toEqual(harness.getTokenUsage());
  });

  it('may be of another thread, with a title, and in another resource', async () => {
    const { harness } = numbered();
    await harness.createThread();
    await harness.sendMessage({ content: 'One.' });
    await harness.createThread();
    const clone = await harness.cloneThread({ sourceThreadId: 't1', title: 'Copy', resourceId: 'r' });
    expect(clone).toMatchObject({ id: 't4', title: 'Copy', resourceId: 'r' });
    expect(await harness.listMessages()).toHaveLength(2);
  });

  it('requires a source', async () => {
    const { harness } = numbered();
    await expect(harness.cloneThread()).rejects.toMatchObject({ code: 'thread_not_found' });
    await expect(harness.cloneThread({ sourceThreadId: 'no' })).rejects.toThrow('Thread not found: no');
  });

  it('of a thread with a run elsewhere is idle', async () => {
    const storage = new MemoryLog();
    const { tool, begun, end } = waitingTool();
    const running = scene([[calls('wait')], 'Done.'], { storage, tools: { wait: tool }, ...yolo });
    const sending = running.harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    const { harness } = numbered({ storage });
    await harness.cloneThread({ sourceThreadId: running.harness.getCurrentThreadId() as string });
    expect(harness.getDisplayState()).toMatchObject({ isRunning: false });
    await harness.sendMessage({ content: 'And?' });
    expect((await harness.listMessages()).at(-1)).toMatchObject({ stopReason: 'complete' });
    end.open();
    await sending;
    expect(running.lines().at(-1)).toBe('agent_end complete');
  });
});

describe('messages', () => {
  it('are the last ones with a limit', async () => {
    const { harness } = numbered();
    await harness.sendMessage({ content: 'One.' });
    await harness.sendMessage({ content: 'Two.' });
    expect(await harness.listMessages()).toHaveLength(4);
    expect((await harness.listMessages({ limit: 2 }))[0]?.content).toEqual([{ type: 'text', text: 'Two.' }]);
    expect(await harness.listMessages({ limit: 0 })).toEqual([]);
  });

  it('of a missing thread are none', async () => {
    const { harness } = numbered();
    expect(await harness.listMessagesForThread({ threadId: 'missing' })).toEqual([]);
  });

  it('of a person are found first', async () => {
    const { harness } = numbered();
    await harness.createThread();
    await harness.sendMessage({ content: 'One.' });
    await harness.sendMessage({ content: 'Two.' });
    const { id: empty } = await harness.createThread();
    expect(await harness.getFirstUserMessageForThread({ threadId: 't1' })).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: 'One.' }],
    });
    expect(await harness.getFirstUserMessageForThread({ threadId: empty })).toBe(null);
    expect(await harness.getFirstUserMessageForThread({ threadId: 'missing' })).toBe(null);
    const threadIds = ['t1', empty, 'missing'];
    expect([...(await harness.getFirstUserMessagesForThreads({ threadIds })).keys()]).toEqual(['t1']);
  });

  it('may be reminders to the model', async () => {
    const { harness, model } = numbered();
    expect(await harness.saveSystemReminderMessage({ message: 'Be kind.', reminderType: 'tone' })).toBe(null);
    await harness.createThread();
    const message = await harness.saveSystemReminderMessage({ message: 'Be kind.', reminderType: 'tone' });
    expect(message?.content).toEqual([{ type: 'system_reminder', message: 'Be kind.', reminderType: 'tone' }]);
    await harness.sendMessage({ content: 'Hi.' });
    expect(sent(model).join()).toContain('Be kind.');
  });

  it.each(['taken in', 'kept'])('that are reminders have the returned id, when they are %s by a run', async how => {
    const { tool, begun, end } = waitingTool();
    const { harness } = scene([[calls('wait')], 'Done.'], { tools: { wait: tool }, ...yolo });
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    const saved = await harness.saveSystemReminderMessage({ message: 'Be kind.', reminderType: 'tone' });
    if (how === 'kept') harness.abort();
    else end.open();
    await sending;
    expect((await harness.listMessages()).map(({ id }) => id)).toContain(saved?.id);
  });

  it('are not stored as reminders when the thread is closed first', async () => {
    const { tool, begun } = waitingTool();
    const { harness } = scene([[calls('wait')], 'Done.'], { tools: { wait: tool }, ...yolo });
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    harness.abort();
    const saving = harness.saveSystemReminderMessage({ message: 'Be kind.', reminderType: 'tone' });
    harness.setResourceId({ resourceId: 'other' });
    expect(await saving).toBe(null);
    await sending;
  });

  it('may be reminders with a role and with metadata, which a second harness reads, too', async () => {
    const storage = new MemoryLog();
    const { harness } = numbered({ storage });
    const { id: threadId } = await harness.createThread();
    const metadata = { path: 'AGENTS.md', gapMs: 60_000, source: { line: 3 } };
    const reminder = { message: 'Be kind.', reminderType: 'file' };
    const saved = await harness.saveSystemReminderMessage({ ...reminder, role: 'system', metadata });
    expect(saved).toMatchObject({
      role: 'system',
      content: [
        {
          type: 'system_reminder',
          ...reminder,
          path: 'AGENTS.md',
          gapMs: 60_000,
          metadata: { source: { line: 3 } },
        },
      ],
    });
    const read = await numbered({ storage }).harness.listMessagesForThread({ threadId });
    expect(read).toMatchObject([{ id: saved?.id, role: 'system', content: saved?.content }]);
  });

  it('that are reminders are injected into the active run, and start no turn when they come too late', async () => {
    const { tool, begun, end } = waitingTool();
    const script = ({ index }: { index: number }) => (index === 0 ? [calls('wait')] : 'Done.');
    const { harness, model, of } = scene(script, { tools: { wait: tool }, ...yolo });
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    const reminder = { message: 'Be kind.', reminderType: 'tone' };
    const saved = await harness.saveSystemReminderMessage({ ...reminder, role: 'system' });
    expect(saved).toMatchObject({ role: 'system', content: [{ type: 'system_reminder', ...reminder }] });
    const late: Promise<unknown>[] = [];
    harness.subscribe(({ type }) => {
      if (type === 'agent_end' || (type === 'message_end' && of(type).length === 4))
        late.push(harness.saveSystemReminderMessage({ message: type, reminderType: 'tone' }));
    });
    end.open();
    await sending;
    expect(sent(model).at(-1)).toContain('Be kind.');
    await Promise.all(late);
    expect([late.length, of('agent_start').length, model.requests.length]).toEqual([2, 1, 2]);
    const roles = (await harness.listMessages()).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'system', 'assistant', 'user', 'user']);
  });
});

describe('resources', () => {
  it('group threads; no thread is open after a change', async () => {
    const { harness, lines } = numbered({ resourceId: 'r' });
    await harness.createThread();
    expect([harness.getResourceId(), harness.getDefaultResourceId()]).toEqual(['r', 'r']);
    harness.setResourceId({ resourceId: 's' });
    expect([harness.getResourceId(), harness.getDefaultResourceId()]).toEqual(['s', 'r']);
    expect(harness.getCurrentThreadId()).toBe(null);
    expect(await harness.listThreads()).toEqual([]);
    expect(await harness.createThread()).toMatchObject({ resourceId: 's' });
    expect(lines()).toEqual(['thread_created']);
  });

  it('that change abort the active run', async () => {
    const { tool, begun } = waitingTool();
    const { harness, lines } = scene([[calls('wait')]], { tools: { wait: tool }, ...yolo });
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    harness.setResourceId({ resourceId: 'other' });
    expect(harness.getDisplayState().isRunning).toBe(false);
    await sending;
    expect(lines().at(-1)).toBe('agent_end aborted');
    expect(harness.isRunning()).toBe(false);
  });
});

describe('locks', () => {
  it('are acquired for the new thread before the old one is released', async () => {
    const { log, mine, threadLock } = locks();
    const { harness } = numbered({ threadLock });
    await harness.createThread();
    await harness.createThread();
    await harness.switchThread({ threadId: 't1' });
    await harness.cloneThread();
    await harness.selectOrCreateThread();
    await harness.memory.deleteThread({ threadId: harness.getCurrentThreadId() as string });
    expect(log.slice(0, 7)).toEqual([
      'acquire t1',
      'acquire t2',
      'release t1',
      'acquire t1',
      'release t2',
      'acquire t3',
      'release t1',
    ]);
    expect(mine()).toEqual([]);
  });

  it('stay when a thread is missing, locked by another, or already open', async () => {
    const { log, mine, threadLock } = locks(['theirs']);
    const storage = new MemoryLog();
    await storage.createThread({ id: 'theirs', resourceId: 'x' });
    const { harness } = numbered({ threadLock, storage });
    await harness.createThread();
    await expect(harness.switchThread({ threadId: 'missing' })).rejects.toThrow('Thread not found: missing');
    await expect(harness.switchThread({ threadId: 'theirs' })).rejects.toThrow('theirs is locked');
    await harness.switchThread({ threadId: 't1' });
    expect(log).toEqual(['acquire t1', 'acquire theirs']);
    expect(mine()).toEqual(['t1']);
    expect(harness.getCurrentThreadId()).toBe('t1');
  });

  it('are released when a thread cannot be created', async () => {
    const { mine, threadLock } = locks();
    const { harness } = scene([], { threadLock, idGenerator: () => 'same' });
    await harness.createThread();
    harness.setResourceId({ resourceId: 'other' });
    await expect(harness.createThread()).rejects.toMatchObject({ code: 'thread_exists' });
    expect(mine()).toEqual([]);
    expect(harness.getCurrentThreadId()).toBe(null);
  });

  it('are released on destroy, and with another resource', async () => {
    const { mine, threadLock } = locks();
    const { harness } = numbered({ threadLock });
    await harness.createThread();
    harness.setResourceId({ resourceId: 'other' });
    await harness.listThreads();
    await harness.createThread();
    expect(mine()).toEqual(['t2']);
    await harness.destroy();
    expect(mine()).toEqual([]);
  });
});
