import { describe, expect, it, vi } from 'vitest';
import { scriptByStep } from '../../src/agents/model/scripted/script.ts';
import { Conversations, Supervisor } from '../../src/control/index.ts';
import { type EventLog, MemoryLog } from '../../src/log/index.ts';
import { calls, scene, sent, waitingTool, yolo } from './scene.ts';

const noAgents = { list: () => [], get: () => undefined };
const eventsOf = async (log: EventLog, threadId: string | null) => log.read(threadId ?? '');
const waitingIn = async (log: EventLog, threadId: string | null) => {
  const thread = (await log.getThread(threadId ?? '')) ?? expect.fail('no thread');
  const queue = await new Conversations({ log, control: new Supervisor({ log }), agents: noAgents }).queue(thread);
  return queue.map(({ content }) => content);
};

/** A harness whose first turn waits for `end`. */
function working(log: EventLog) {
  const { tool, begun, end } = waitingTool();
  const script = ({ index }: { index: number }) => (index === 0 ? [calls('wait')] : 'Done.');
  return { ...scene(script, { storage: log, tools: { wait: tool }, ...yolo }), begun, end };
}

describe('a message for an agent that the harness does not know', () => {
  it('waits, and the opening of its thread says why', async () => {
    const log = new MemoryLog();
    const { harness, of } = scene(scriptByStep(['Done.']), { storage: log });
    const { id: threadId } = await harness.createThread();
    const core = new Conversations({ log, control: new Supervisor({ log }), agents: noAgents });
    await core.store(threadId, { id: 'm', content: 'For you.', agent: 'stranger', delivery: 'follow_up' });
    await harness.createThread();
    await harness.switchThread({ threadId });
    expect(of('follow_up_queued')).toMatchObject([
      { count: 1, problem: expect.stringContaining(`singletree run stranger --resume ${threadId}`) },
    ]);
    await harness.sendMessage({ content: 'Go.' });
    expect(await waitingIn(log, threadId)).toEqual(['For you.']);
    await harness.destroy();
  });
});

describe('a message that a harness accepted during a turn', () => {
  it('is in the log when its call resolves', async () => {
    const log = new MemoryLog();
    const { harness, begun, end } = working(log);
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.sendMessage({ content: 'Into it.' });
    await harness.followUp({ content: 'After it.' });
    const queued = (await eventsOf(log, harness.getCurrentThreadId())).filter(({ type }) => type === 'message_queued');
    expect(queued).toMatchObject([
      { content: 'Into it.', delivery: 'steer' },
      { content: 'After it.', delivery: 'follow_up' },
    ]);
    end.open();
    await sending;
    await vi.waitFor(() => expect(harness.isRunning()).toBe(false));
    const users = (await eventsOf(log, harness.getCurrentThreadId())).filter(({ type }) => type === 'user');
    expect(users).toMatchObject([{ content: 'Go.' }, { content: 'Into it.' }, { content: 'After it.' }]);
    await harness.destroy();
  });

  it('still waits after the harness was destroyed, and the next one sends it after its turn', async () => {
    const log = new MemoryLog();
    const { harness, begun } = working(log);
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.followUp({ content: 'Later.' });
    const threadId = harness.getCurrentThreadId();
    await harness.destroy();
    await sending.catch(() => {});
    expect(await waitingIn(log, threadId)).toEqual(['Later.']);

    const next = scene(scriptByStep(['Done.']), { storage: log, tools: { wait: waitingTool().tool }, ...yolo });
    await next.harness.selectOrCreateThread();
    expect(next.harness.getFollowUpCount()).toBe(1);
    expect(next.of('follow_up_queued')).toEqual([{ type: 'follow_up_queued', count: 1 }]);
    await vi.waitFor(() => expect(next.harness.isRunning()).toBe(false));
    expect(await waitingIn(log, threadId)).toEqual([]);
    expect(sent(next.model).at(-1)).toBe('user: Later.');
    await next.harness.destroy();
  });
});

describe('a follow-up', () => {
  it('stays in its thread when another resource is chosen, and is sent after the next turn there', async () => {
    const log = new MemoryLog();
    const { harness, model, begun, of, on } = working(log);
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.followUp({ content: 'Later.' });
    const threadId = harness.getCurrentThreadId() ?? '';
    const resourceId = harness.getResourceId();
    harness.setResourceId({ resourceId: 'another' });
    await sending;
    expect([harness.getFollowUpCount(), await waitingIn(log, threadId)]).toEqual([0, ['Later.']]);
    harness.setResourceId({ resourceId });
    await harness.switchThread({ threadId });
    expect([harness.getFollowUpCount(), of('follow_up_queued').at(-1)?.count]).toEqual([1, 1]);
    expect([harness.isRunning(), model.requests.length]).toEqual([false, 1]);
    await harness.sendMessage({ content: 'Back.' });
    await on('agent_end', 3);
    expect(sent(model).slice(-3)).toEqual(['user: Back.', 'assistant: Done.', 'user: Later.']);
    await harness.destroy();
  });

  it('follows its turn without a moment in which the harness is idle', async () => {
    const { harness, begun, end, of, on } = working(new MemoryLog());
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.followUp({ content: 'Later.' });
    const seen = new Set<boolean>();
    harness.subscribe(() => void (of('agent_end').length < 2 && seen.add(harness.isRunning())));
    end.open();
    while (of('agent_start').length < 2) {
      seen.add(harness.isRunning());
      await new Promise(setImmediate);
    }
    await sending;
    await on('agent_end', 2);
    expect([...seen]).toEqual([true]);
    await harness.destroy();
  });
});

describe('a message that another process stored in the thread of a harness', () => {
  it('is sent when the turn has ended, in the order of the queue', async () => {
    const log = new MemoryLog();
    const { harness, begun, end, model, on } = working(log);
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.followUp({ content: 'Mine.' });
    const control = new Supervisor({ log });
    const other = new Conversations({ log, control, agents: noAgents });
    const threadId = harness.getCurrentThreadId() ?? '';
    await other.enqueue(threadId, { content: 'Theirs.', agent: 'main', delivery: 'follow_up' });
    await harness.followUp({ content: 'Mine again.' });
    await vi.waitFor(() => expect(harness.getFollowUpCount()).toBe(3));
    end.open();
    await sending;
    await on('agent_end', 4);
    const users = sent(model).filter(text => text.startsWith('user'));
    expect(users).toEqual(['user: Go.', 'user: Mine.', 'user: Theirs.', 'user: Mine again.']);
    await control.close();
    await harness.destroy();
  });

  it('before its turn starts does not hinder that, and is sent after it', async () => {
    const log = new MemoryLog();
    const { harness, model, on } = scene(() => 'Done.', { storage: log, ...yolo });
    const { id: threadId } = await harness.createThread();
    const other = new Conversations({ log, control: new Supervisor({ log }), agents: noAgents });
    await other.store(threadId, { id: 'm', content: 'Theirs.', agent: 'main', delivery: 'follow_up' });
    await harness.sendMessage({ content: 'Mine.' });
    await on('agent_end', 2);
    expect(sent(model).filter(text => text.startsWith('user'))).toEqual(['user: Mine.', 'user: Theirs.']);
    await harness.destroy();
  });

  it('does not wait in a clone of the thread', async () => {
    const log = new MemoryLog();
    const { harness } = scene(() => 'Done.', { storage: log, ...yolo });
    const { id: threadId } = await harness.createThread();
    const other = new Conversations({ log, control: new Supervisor({ log }), agents: noAgents });
    await other.store(threadId, { id: 'm', content: 'Theirs.', agent: 'main', delivery: 'follow_up' });
    const clone = await harness.cloneThread();
    expect([harness.getCurrentThreadId(), harness.getFollowUpCount()]).toEqual([clone.id, 0]);
    expect([await waitingIn(log, clone.id), await waitingIn(log, threadId)]).toEqual([[], ['Theirs.']]);
    await harness.switchThread({ threadId });
    expect(harness.getFollowUpCount()).toBe(1);
    await harness.destroy();
  });

  it('of an agent that the harness does not have waits there', async () => {
    const log = new MemoryLog();
    const { harness, begun, end } = working(log);
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    const control = new Supervisor({ log });
    const other = new Conversations({ log, control, agents: noAgents });
    const threadId = harness.getCurrentThreadId() ?? '';
    await other.enqueue(threadId, { content: 'For another.', agent: 'another', delivery: 'follow_up' });
    end.open();
    await sending;
    await vi.waitFor(() => expect(harness.isRunning()).toBe(false));
    expect(await waitingIn(log, threadId)).toEqual(['For another.']);
    await control.close();
    await harness.destroy();
  });
});

describe('the queue of the thread of a harness', () => {
  /** A harness in a turn behind which two follow-ups wait, and a process that edits its queue. */
  async function queued() {
    const log = new MemoryLog();
    const made = working(log);
    const sending = made.harness.sendMessage({ content: 'Go.' });
    await made.begun.opened;
    for (const content of ['First.', 'Second.']) await made.harness.followUp({ content });
    const threadId = made.harness.getCurrentThreadId() ?? '';
    const editor = new Conversations({ log, control: new Supervisor({ log }), agents: noAgents });
    const idOf = async (content: string) => {
      const thread = (await log.getThread(threadId)) ?? expect.fail('no thread');
      return (await editor.queue(thread)).find(each => each.content === content)?.id ?? expect.fail(`no ${content}`);
    };
    const endTurn = async () => {
      made.end.open();
      await sending;
    };
    const users = () => sent(made.model).filter(text => text.startsWith('user'));
    return { ...made, log, threadId, editor, idOf, endTurn, users };
  }

  it('is not sent while a person edits it, and as it was changed afterwards', async () => {
    const { harness, threadId, editor, idOf, endTurn, users, on } = await queued();
    const id = await idOf('First.');
    await editor.change(threadId, id, { isHeld: true });
    await endTurn();
    expect([harness.isRunning(), harness.getFollowUpCount(), users()]).toEqual([false, 2, ['user: Go.']]);
    await editor.change(threadId, id, { content: 'Changed.' });
    await harness.sendFollowUps();
    await on('agent_end', 3);
    expect(users()).toEqual(['user: Go.', 'user: Changed.', 'user: Second.']);
    await harness.destroy();
  });

  it('is sent without a call when it is not held any more', async () => {
    const { harness, threadId, editor, idOf, endTurn, on } = await queued();
    const id = await idOf('First.');
    await editor.change(threadId, id, { isHeld: true });
    await endTurn();
    await editor.change(threadId, id, { isHeld: false });
    await on('agent_end', 3);
    expect(harness.getFollowUpCount()).toBe(0);
    await harness.destroy();
  });

  it('sends a message that is named first, also while it is held, and into a turn that runs', async () => {
    const { harness, threadId, editor, idOf, endTurn, users, on, log } = await queued();
    const [first, second] = [await idOf('First.'), await idOf('Second.')];
    await editor.change(threadId, first, { isHeld: true });
    await endTurn();
    await harness.sendFollowUps({ id: second });
    await on('agent_end', 2);
    expect([users(), await waitingIn(log, threadId)]).toEqual([['user: Go.', 'user: Second.'], ['First.']]);
    await editor.change(threadId, first, { isHeld: false });
    await on('agent_end', 3);
    await expect(harness.sendFollowUps({ id: first })).rejects.toMatchObject({ code: 'not_found' });
    await harness.destroy();
  });

  it('counts no follow-up of its own that another process withdrew or sends into the run', async () => {
    const { harness, threadId, editor, idOf, endTurn } = await queued();
    expect(harness.getFollowUpCount()).toBe(2);
    await editor.withdraw(threadId, await idOf('First.'));
    await vi.waitFor(() => expect(harness.getFollowUpCount()).toBe(1));
    await editor.sendNow(threadId, await idOf('Second.'));
    await vi.waitFor(() => expect(harness.getFollowUpCount()).toBe(0));
    await endTurn();
    await harness.destroy();
  });

  it('gives a follow-up that is sent now to the run of the turn', async () => {
    const { harness, idOf, endTurn, users, on } = await queued();
    await harness.sendFollowUps({ id: await idOf('Second.') });
    await endTurn();
    await on('agent_end', 2);
    expect(users()).toEqual(['user: Go.', 'user: Second.', 'user: First.']);
    await harness.destroy();
  });
});
