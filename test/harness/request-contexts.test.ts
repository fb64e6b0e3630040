import { describe, expect, it } from 'vitest';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { Conversations, type HarnessTool, RequestContext, Supervisor } from '../../src/control/index.ts';
import { type EventLog, MemoryLog } from '../../src/log/index.ts';
import { calls, scene, sent, waitingTool, yolo } from './scene.ts';

const lostContexts = async (log: EventLog, threadId: string | null) =>
  (await log.read(threadId ?? '')).filter(event => event.type === 'warning' && event.code === 'context_lost');

/** A harness whose first turn waits for `end`, and whose later turns note the user of their request context. */
function harnessOn(storage: EventLog) {
  const users: unknown[] = [];
  const { tool: wait, begun, end } = waitingTool();
  const who: HarnessTool = {
    execute: (_, context) => {
      users.push(context?.requestContext?.get('user'));
      return 'noted';
    },
  };
  const made = scene(
    ({ messages, step }) => {
      const last = messages.findLast(({ role }) => role === 'user')?.text;
      if (last === 'Go.' && step === 0) return [calls('wait')];
      return messages.at(-1)?.role === 'tool' && messages.at(-1)?.text !== 'waited' ? 'Done.' : [calls('who')];
    },
    { storage, tools: { wait, who }, ...yolo },
  );
  return { ...made, users, begun, end };
}

/** A thread in which a follow-up with a request context waits, and whose harness is destroyed. */
async function followUpLeft(storage: EventLog): Promise<string> {
  const { harness, begun } = harnessOn(storage);
  void harness.sendMessage({ content: 'Go.' }).catch(() => {});
  await begun.opened;
  await harness.followUp({ content: 'Later.', requestContext: new RequestContext([['user', 'Ada']]) });
  const threadId = harness.getCurrentThreadId() ?? '';
  await harness.destroy();
  return threadId;
}

describe('the request context of a message that waits', () => {
  it('reaches the turn that the process which accepted it begins', async () => {
    const storage = new MemoryLog();
    const { harness, users, begun, end, on } = harnessOn(storage);
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.sendMessage({ content: 'Into it.', requestContext: new RequestContext([['user', 'Eve']]) });
    await harness.followUp({ content: 'Later.', requestContext: new RequestContext([['user', 'Ada']]) });
    end.open();
    await sending;
    await on('agent_end', 2);
    expect(users).toEqual(['Eve', 'Ada']);
    expect(await lostContexts(storage, harness.getCurrentThreadId())).toEqual([]);
    await harness.destroy();
  });

  it('is missing in another process, which says so', async () => {
    const storage = new MemoryLog();
    const threadId = await followUpLeft(storage);
    const next = harnessOn(storage);
    await next.harness.switchThread({ threadId });
    await next.on('agent_end', 2);
    expect(sent(next.model)).toContain('user: Later.');
    expect(next.users).toEqual([undefined]);
    expect(await lostContexts(storage, threadId)).toHaveLength(1);
    expect(next.of('info').map(({ message }) => message)).toContainEqual(
      expect.stringContaining('sent with a request context') as string,
    );
    await next.harness.destroy();
  });

  it('is missing in a server that delivers it, which says so', async () => {
    const storage = new MemoryLog();
    const threadId = await followUpLeft(storage);
    const agent = loopAgent({ id: 'main', model: scriptedModel(() => 'Done.') });
    const control = new Supervisor({ log: storage, agents: [agent] });
    const agents = { list: () => [agent], get: () => agent };
    await control.idle(threadId);
    const delivered = await new Conversations({ log: storage, control, agents }).next(threadId);
    await delivered?.run.done;
    expect(await lostContexts(storage, threadId)).toMatchObject([{ runId: delivered?.run.runId }]);
    await control.close();
  });

  it('is missing in the run of another process that the message goes into, which says so', async () => {
    const storage = new MemoryLog();
    const script = [[calls('ask_user', { question: 'Why?' })], 'Done.'];
    const [first, second] = [scene(script, { storage, ...yolo }), scene(script, { storage, ...yolo })];
    const sending = first.harness.sendMessage({ content: 'Go.' });
    const { questionId } = await first.on('ask_question');
    await second.harness.selectOrCreateThread();
    const requestContext = new RequestContext([['user', 'Ada']]);
    await second.harness.sendMessage({ content: 'With it.', requestContext });
    await second.harness.sendMessage({ content: 'Without.' });
    second.harness.respondToQuestion({ questionId, answer: 'So.' });
    await sending;
    expect(sent(first.model).at(-1)).toBe('user: With it.Without.');
    expect(await lostContexts(storage, first.harness.getCurrentThreadId())).toHaveLength(1);
    await first.harness.destroy();
    await second.harness.destroy();
  });
});
