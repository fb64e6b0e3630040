import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Harness, type HarnessConfig, type HarnessEvent } from '../../src/control/index.ts';
import { getMessageDelta } from '../../src/control/harness/messages/message-view.ts';
import { MemoryLog, SqliteLog, type Tail } from '../../src/log/index.ts';
import {
  anyModel,
  calls,
  echo,
  gate,
  isDetached,
  scene,
  sent,
  silentAfterOneWord,
  waitingTool,
  yolo,
} from './scene.ts';

const modes = () => scene([]).harness.listModes();
const asking: [string, HarnessEvent['type'], ReturnType<typeof calls>, object][] = [
  ['an approval', 'tool_approval_required', calls('echo', { value: 'a' }), { tools: { echo } }],
  ['a question', 'ask_question', calls('ask_user', { question: 'Why?' }), yolo],
  ['a plan', 'plan_approval_required', calls('submit_plan', { plan: 'Do it' }), yolo],
];
const pending = ({ harness }: { harness: Harness }) => {
  const { pendingApproval, pendingQuestion, pendingPlanApproval } = harness.getDisplayState();
  return [pendingApproval, pendingQuestion, pendingPlanApproval].filter(item => item !== null).length;
};

describe('better than the reference', () => {
  it('followUp during a run is queued, sent in order after the run, and the original sendMessage settles', async () => {
    const { tool, begun, end } = waitingTool();
    const { harness, on, model } = scene(({ index }) => (index === 0 ? [calls('wait')] : 'Done.'), {
      tools: { wait: tool },
      ...yolo,
    });
    const original = harness.sendMessage({ content: 'One.' });
    await begun.opened;
    await Promise.all(['Two.', 'Three.'].map(content => harness.followUp({ content })));
    expect([harness.getFollowUpCount(), model.requests.length]).toEqual([2, 1]);
    end.open();
    await original;
    await on('agent_end', 3);
    expect(model.requests).toHaveLength(4);
    expect(sent(model).filter(text => text.startsWith('user'))).toEqual(['user: One.', 'user: Two.', 'user: Three.']);
  });

  it('answering an approval synchronously inside the event listener works', async () => {
    const { harness, of } = scene([[calls('echo', { value: 'a' })], 'Done.'], { tools: { echo } });
    harness.subscribe(({ type }) => {
      if (type === 'tool_approval_required') harness.respondToToolApproval({ decision: 'approve' });
    });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_end')).toMatchObject([{ result: 'a!' }]);
  });

  it.each(asking)(
    'abort while %s is pending settles at once, the relay expires visibly, the display is idle',
    async (_, type, call, config) => {
      const { harness, on, lines, ...rest } = scene([[call], 'Done.'], config);
      const sending = harness.sendMessage({ content: 'Go.' });
      await on(type);
      expect(pending({ harness })).toBe(1);
      harness.abort();
      await sending;
      expect(lines().slice(-4)).toEqual([
        expect.stringContaining('info No answer is needed any more') as string,
        'usage_update',
        'message_end assistant aborted',
        'agent_end aborted',
      ]);
      expect(pending({ harness })).toBe(0);
      expect(harness.getDisplayState().isRunning).toBe(false);
      expect(rest.of('error')).toEqual([]);
    },
  );

  it('steering is injected into the running turn at the next safe point; the context is intact and the request valid', async () => {
    const { tool, begun, end } = waitingTool();
    const { harness, of, model } = scene([[{ text: 'Wait.' }, calls('wait')], 'Done.'], {
      tools: { wait: tool },
      ...yolo,
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.steer({ content: 'Be brief.' });
    end.open();
    await sending;
    expect(of('agent_start')).toHaveLength(1);
    expect(sent(model)).toEqual(['user: Go.', 'assistant: Wait.', 'tool: ', 'user: Be brief.']);
    expect(of('agent_end')).toMatchObject([{ reason: 'complete' }]);
  });

  it('partial text is kept on abort, stopReason is aborted or error, errorMessage is filled', async () => {
    const { model: options, silent } = silentAfterOneWord();
    const stopped = scene([{ text: 'One two', delayMs: 1 }], { model: options });
    const sending = stopped.harness.sendMessage({ content: 'Count.' });
    await silent.opened;
    stopped.harness.abort();
    await sending;
    const last = (await stopped.harness.listMessages()).at(-1);
    expect(last).toMatchObject({
      stopReason: 'aborted',
      content: [{ type: 'text', text: expect.stringMatching(/^One/) as string }],
    });
    const broken = scene([{ parts: [{ text: 'So' }], finishReason: 'error' }]);
    await broken.harness.sendMessage({ content: 'Count.' });
    const message = (await broken.harness.listMessages()).at(-1);
    expect(message).toMatchObject({ stopReason: 'error', content: [{ type: 'text', text: 'So' }] });
    expect(message?.errorMessage).toBe(broken.of('error')[0]?.error.message);
    expect(message?.errorMessage).toMatch(/\w/);
  });

  it('two permission writes in one tick both take effect; setters are safe to call without await', async () => {
    const { harness, of, model } = scene([[calls('b'), calls('a')], 'Done.'], {
      tools: { a: echo, b: { ...echo, inputSchema: z.object({}), execute: () => 'ran' } },
    });
    harness.setPermissionForTool({ toolName: 'a', policy: 'deny' });
    harness.setPermissionForTool({ toolName: 'b', policy: 'allow' });
    harness.setPermissionForCategory({ category: 'edit', policy: 'ask' });
    expect(harness.getPermissionRules()).toEqual({ categories: { edit: 'ask' }, tools: { a: 'deny', b: 'allow' } });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_approval_required')).toEqual([]);
    expect(of('tool_end').map(({ result }) => result)).toContain('ran');
    expect(model.requests[0]?.toolNames).not.toContain('a');
  });

  it('a stateSchema that does not list the keys of the harness cannot drop deny rules, yolo and the chosen model', async () => {
    const harness = new Harness({
      id: 'h',
      modes: modes(),
      stateSchema: z.object({ own: z.number().default(1) }),
    });
    harness.setPermissionForTool({ toolName: 'a', policy: 'deny' });
    await harness.setState({ yolo: true, currentModelId: 'a/b', own: 2 });
    expect(harness.getState()).toEqual({
      own: 2,
      yolo: true,
      currentModelId: 'a/b',
      permissionRules: { categories: {}, tools: { a: 'deny' } },
    });
    expect(harness.getPermissionRules().tools).toEqual({ a: 'deny' });
  });

  it('a strict schema is no trouble, and an initialState that does not conform is a clear error at construction', async () => {
    const stateSchema = z.strictObject({ own: z.number().default(1) });
    const withModel = [
      {
        id: 'm',
        defaultModelId: 'a/b',
        agent: () => {
          throw new Error('unused');
        },
      },
    ];
    const harness = new Harness({ id: 'h', modes: withModel, stateSchema });
    await harness.init();
    expect(harness.getCurrentModelId()).toBe('a/b');
    const wrong = () => new Harness({ id: 'h', modes: withModel, stateSchema, initialState: { own: 'x' as never } });
    expect(wrong).toThrow('The initialState does not conform to the stateSchema: own');
  });

  it('locks are released on every path: destroy, setResourceId, missing thread, same thread', async () => {
    const held = new Set<string>();
    const acquired: string[] = [];
    const threadLock: HarnessConfig['threadLock'] = {
      acquire: id => {
        if (held.has(id)) throw new Error('held');
        held.add(id);
        acquired.push(id);
      },
      release: id => void held.delete(id),
    };
    const { harness } = scene([], { threadLock });
    const { id } = await harness.createThread();
    await expect(harness.switchThread({ threadId: 'missing' })).rejects.toThrow('Thread not found');
    expect([[...held], acquired]).toEqual([[id], [id]]);
    await harness.switchThread({ threadId: id });
    await harness.selectOrCreateThread();
    expect([...held]).toEqual([id]);
    harness.setResourceId({ resourceId: 'other' });
    await expect.poll(() => [...held]).toEqual([]);
    const second = await harness.createThread();
    expect([...held]).toEqual([second.id]);
    await harness.destroy();
    expect([...held]).toEqual([]);
  });

  it.each(asking)('%s is cleared from the display when it is answered', async (_, type, call, config) => {
    const { tool, begun, end } = waitingTool();
    const { harness, on } = scene([[call], [calls('wait')], 'Done.'], {
      ...config,
      tools: { echo, wait: tool },
    });
    harness.grantSessionTool({ toolName: 'wait' });
    const sending = harness.sendMessage({ content: 'Go.' });
    const event = await on(type);
    expect(pending({ harness })).toBe(1);
    if (event.type === 'tool_approval_required') harness.respondToToolApproval({ decision: 'approve' });
    if (event.type === 'ask_question') harness.respondToQuestion({ questionId: event.questionId, answer: 'So.' });
    if (event.type === 'plan_approval_required')
      await harness.respondToPlanApproval({ planId: event.planId, response: { action: 'approved' } });
    await begun.opened;
    await expect.poll(() => pending({ harness })).toBe(0);
    expect(harness.isRunning()).toBe(true);
    end.open();
    await sending;
  });

  it.each(asking)(
    '%s survives a restart and is answerable by a second Harness on the same storage',
    async (_, type, call, config) => {
      const storage = new MemoryLog();
      const script = ({ step }: { step: number }) => (step === 0 ? [call] : 'Done.');
      const first = scene(script, { storage, ...config });
      const sending = first.harness.sendMessage({ content: 'Go.' });
      await first.on(type);
      await first.harness.destroy();
      await isDetached(sending);
      const { harness, on, of } = scene(script, { storage, ...config });
      await harness.selectOrCreateThread();
      expect(pending({ harness })).toBe(1);
      const event = await on(type);
      if (event.type === 'tool_approval_required') harness.respondToToolApproval({ decision: 'approve' });
      if (event.type === 'ask_question') harness.respondToQuestion({ questionId: event.questionId, answer: 'So.' });
      if (event.type === 'plan_approval_required')
        await harness.respondToPlanApproval({ planId: event.planId, response: { action: 'approved' } });
      await on('agent_end');
      expect(of('tool_end')).toMatchObject([{ isError: false }]);
      expect(pending({ harness })).toBe(0);
    },
  );

  it('all listeners see every event though one unsubscribes during dispatch; the error of a listener is emitted once', async () => {
    const { harness, of } = scene([]);
    const seen: string[] = [];
    const stop = harness.subscribe(() => stop());
    harness.subscribe(({ type }) => void seen.push(type));
    harness.subscribe(({ type }) => {
      if (type === 'thread_created' || type === 'error') throw new Error('listener broke');
    });
    harness.subscribe(async ({ type }) => {
      if (type === 'thread_created') throw new Error('async listener broke');
    });
    await harness.createThread();
    expect(seen.slice(0, 2)).toEqual(['thread_created', 'display_state_changed']);
    await expect
      .poll(() => of('error').map(({ error }) => error.message))
      .toEqual(['listener broke', 'async listener broke']);
  });

  it('invalid tool input and thrown tool errors are isError true with the message, visible in the content', async () => {
    const broken = {
      description: 'breaks',
      execute: () => {
        throw new Error('it broke');
      },
    };
    const { harness, of } = scene([[calls('echo', { value: 1 }), calls('broken')], 'Done.'], {
      tools: { echo, broken },
      ...yolo,
    });
    await harness.sendMessage({ content: 'Go.' });
    const ends = of('tool_end').map(({ result, isError }) => `${isError} ${String(result)}`);
    expect(ends.toSorted()).toEqual([
      expect.stringContaining('true The input is not valid: value') as string,
      'true it broke',
    ]);
    const parts = (await harness.listMessages()).at(-1)?.content.filter(({ type }) => type === 'tool_result');
    expect(parts).toMatchObject([{ isError: true }, { isError: true }]);
  });

  it("subagents' tool calls follow the policy of the parent, relayed through the parent", async () => {
    const { scriptedModel } = await import('../../src/agents/model/scripted/scripted-model.ts');
    const child = scriptedModel([[calls('echo', { value: 'a' })], 'Ok.']);
    const { harness, of, on } = scene([[calls('subagent', { agentType: 'x', task: 'Do.' })], 'Done.'], {
      tools: { echo },
      subagents: [
        {
          id: 'x',
          name: 'X',
          description: 'd',
          instructions: 'i',
          allowedHarnessTools: ['echo'],
          defaultModelId: 'a/b',
        },
      ],
      resolveModel: () => child,
    });
    harness.grantSessionTool({ toolName: 'subagent' });
    const sending = harness.sendMessage({ content: 'Go.' });
    expect(await on('tool_approval_required')).toMatchObject({ toolName: 'echo' });
    harness.respondToToolApproval({ decision: 'approve' });
    await sending;
    expect(of('subagent_tool_end')).toMatchObject([{ subToolResult: 'a!' }]);
  });

  it('tasks are per thread', async () => {
    const task = { content: 'A', status: 'pending', activeForm: 'A' };
    const script = ({ index }: { index: number }) =>
      [[calls('task_write', { tasks: [task] })], 'Done.', [calls('task_check')], 'Done.'][index] ?? '';
    const { harness, of } = scene(script, yolo);
    await harness.sendMessage({ content: 'Go.' });
    const first = harness.getCurrentThreadId() as string;
    expect(harness.getState().tasks).toHaveLength(1);
    await harness.createThread();
    expect([harness.getState().tasks, harness.getDisplayState().tasks]).toEqual([undefined, []]);
    await harness.sendMessage({ content: 'Check.' });
    expect(of('tool_end').at(-1)?.result).toMatchObject({ tasks: [] });
    await harness.switchThread({ threadId: first });
    expect(harness.getState().tasks).toMatchObject([task]);
  });

  it('listMessages is a linear read and cloneThread is O(1)', async () => {
    const storage = new MemoryLog();
    const reads: number[] = [];
    const long = async (count: number) => {
      const thread = await storage.createThread({ resourceId: 'harness' });
      for (let at = 0; at < count; at++) {
        const runId = `run-${count}-${at}`;
        await storage.append(thread.id, [
          { type: 'user', runId: `ask-${runId}`, content: 'Hi.' },
          { type: 'harness_start', runId, agentId: 'main', parentId: `ask-${runId}:user` },
          { type: 'text', runId, id: 't', content: 'Hello!' },
          { type: 'harness_end', runId, agentId: 'main', reason: 'complete' },
        ]);
      }
      return thread.id;
    };
    const elsewhere: number[] = [];
    const { harness } = scene([], { storage });
    const { harness: reader } = scene([], { storage });
    for (const count of [20, 200]) {
      const id = await long(count);
      await harness.switchThread({ threadId: id });
      expect(await harness.listMessages()).toHaveLength(2 * count);
      const read = storage.read.bind(storage);
      let events = 0;
      storage.read = async (...range) => {
        const page = await read(...range);
        events += page.length;
        return page;
      };
      await harness.listMessages();
      reads.push(events);
      await reader.listMessagesForThread({ threadId: id });
      elsewhere.push(events - (reads.at(-1) ?? 0));
      storage.read = read;
      const clone = await harness.cloneThread();
      expect((await storage.getThread(clone.id))?.branchedFrom).toEqual({ threadId: id, seq: 4 * count });
    }
    expect(reads).toEqual([0, 0]);
    expect(elsewhere).toEqual([80, 800]);
  });

  it('message_update shares one immutable state: a delta is small, and emitted messages stay unchanged', async () => {
    const { harness, of } = scene([{ text: 'word '.repeat(200), tokenSize: 5, delayMs: 1 }], {
      model: { delay: () => new Promise(resolve => setImmediate(resolve)) },
    });
    await harness.sendMessage({ content: 'Go.' });
    const updates = of('message_update').map(({ message }) => message);
    expect(updates.map(message => getMessageDelta(message)?.delta).join('')).toBe('word '.repeat(200));
    const texts = updates.map(({ content }) => (content[0]?.type === 'text' ? content[0].text : ''));
    expect(texts).toEqual(texts.toSorted((a, b) => a.length - b.length));
    expect(texts.at(-1)).toBe('word '.repeat(200));
    expect(Object.keys(updates[0] ?? {})).toEqual(['id', 'role', 'createdAt', 'content']);
    const { message } = of('message_end').at(-1) ?? {};
    expect({ ...message }).toMatchObject({ content: [{ type: 'text' }], stopReason: 'complete' });
  });

  it('no timers run while idle, and none polls while the model is silent', async () => {
    const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
    const folder = mkdtempSync(join(tmpdir(), 'singletree-idle-'));
    const storage = new SqliteLog(join(folder, 'log.db'));
    const before = timers();
    const tail = storage.tail.bind(storage);
    const following = new Set<Tail>();
    storage.tail = (id, after, how) => {
      const followed = tail(id, after, how);
      const leave = () => {
        following.delete(followed);
        tailLeave?.();
      };
      const tailLeave = followed.leave?.bind(followed);
      how?.signal?.addEventListener('abort', leave);
      following.add(followed);
      return Object.assign(followed, { leave });
    };
    const { model: options, silent } = silentAfterOneWord();
    const script = ({ index }: { index: number }) => (index === 0 ? 'Hi.' : { text: 'One two', delayMs: 1 });
    const { harness } = scene(script, { model: options, storage });
    await harness.sendMessage({ content: 'Hi.' });
    await expect.poll(() => following.size).toBe(0);
    await expect.poll(timers).toBe(before);
    const sending = harness.sendMessage({ content: 'Count.' });
    await silent.opened;
    const fired: number[] = [];
    const { setTimeout: original } = globalThis;
    globalThis.setTimeout = ((run: () => void, ms: number) => {
      fired.push(ms);
      return original(run, ms);
    }) as typeof setTimeout;
    const rest = gate();
    setImmediate(() => setImmediate(() => setImmediate(rest.open)));
    await rest.opened;
    globalThis.setTimeout = original;
    expect(fired.filter(ms => ms < 1000)).toEqual([]);
    harness.abort();
    await sending;
    await harness.destroy();
    await storage.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['createThread', (harness: Harness) => harness.createThread()],
    ['sendMessage', (harness: Harness) => harness.sendMessage({ content: 'Hi.' })],
  ])('init is implied by %s', async (_, first) => {
    const beats: string[] = [];
    const heartbeatHandlers = [{ id: 'a', intervalMs: 100_000, handler: () => void beats.push('a') }];
    const { harness } = scene(['Hi.'], { heartbeatHandlers });
    await first(harness);
    expect(beats).toEqual(['a']);
    await harness.init();
    expect(beats).toEqual(['a']);
    await harness.destroy();
  });

  it('the temperature of the run is unchanged unless set', async () => {
    const temperatures: unknown[] = [];
    const { scriptedModel } = await import('../../src/agents/model/scripted/scripted-model.ts');
    const { loopAgent } = await import('../../src/agents/loop/loop-agent.ts');
    for (const settings of [{}, { temperature: 0.3 }]) {
      const model = scriptedModel(['Hi.']);
      const stream = model.doStream.bind(model);
      model.doStream = call => {
        temperatures.push(call.temperature);
        return stream(call);
      };
      const harness = new Harness({ id: 'h', modes: [{ id: 'm', agent: loopAgent({ model, settings }) }] });
      await harness.sendMessage({ content: 'Hi.' });
    }
    expect(temperatures).toEqual([undefined, 0.3]);
  });

  it('switchModel without scope is for the session only; scope thread persists', async () => {
    const { harness } = scene([], { storage: new MemoryLog(), ...anyModel });
    await harness.createThread();
    await harness.switchModel({ modelId: 'a/session' });
    expect(harness.getCurrentModelId()).toBe('a/session');
    expect((await harness.listThreads())[0]?.metadata).toEqual({ currentModeId: 'main' });
    await harness.switchModel({ modelId: 'a/kept', scope: 'thread' });
    expect((await harness.listThreads())[0]?.metadata).toMatchObject({ modeModelId_main: 'a/kept' });
  });

  it('heartbeats do not overlap: one at a time per handler', async () => {
    const { Heartbeats } = await import('../../src/control/harness/heartbeats.ts');
    const { ManualClock } = await import('../support/manual-clock.ts');
    const clock = new ManualClock();
    const end = gate();
    let beats = 0;
    const heartbeats = new Heartbeats({ onError: () => {}, clock });
    const handler = () => {
      beats++;
      return end.opened;
    };
    heartbeats.register({ id: 'a', intervalMs: 10, handler });
    clock.advance(100);
    expect(beats).toBe(1);
    end.open();
    await heartbeats.stop();
  });

  it('plan_approved, info and tool_update are emitted', async () => {
    const { defineTool } = await import('../../src/agents/tool-definition/define-tool.ts');
    const report = defineTool({
      name: 'report',
      description: 'reports',
      input: z.object({}),
      execute: async (_, { progress, emit }) => {
        progress('half');
        await emit({ type: 'warning', message: 'careful' });
      },
    });
    const { harness, on, of } = scene([[calls('report')], [calls('submit_plan', { plan: 'Do it' })], 'Done.'], {
      tools: { report },
      ...yolo,
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { planId } = await on('plan_approval_required');
    await harness.respondToPlanApproval({ planId, response: { action: 'approved' } });
    await sending;
    expect([of('tool_update').length, of('info').length, of('plan_approved').length]).toEqual([1, 1, 1]);
  });
});
