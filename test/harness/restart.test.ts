import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import { scriptByStep } from '../../src/agents/model/scripted/script.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { Harness, type HarnessConfig, type HarnessDisplayState } from '../../src/control/index.ts';
import { type EventLog, MemoryLog, SqliteLog } from '../../src/log/index.ts';
import { anyModel, calls, echo, isDetached, scene, sent, waitingTool, watch, yolo } from './scene.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Storage that two harnesses have one after the other, or at once. */
const stores: [string, () => () => EventLog][] = [
  [
    'in memory',
    () => {
      const log = new MemoryLog();
      return () => log;
    },
  ],
  [
    'in a file',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'singletree-harness-'));
      cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
      return () => {
        const log = new SqliteLog(join(folder, 'log.db'), { pollMs: 5 });
        cleanups.push(() => log.close());
        return log;
      };
    },
  ],
];

/** What is shown, with messages as they serialise. */
const shown = (display: HarnessDisplayState) => structuredClone(JSON.parse(JSON.stringify(display)) as unknown);
const maps = ({ activeTools, modifiedFiles, activeSubagents }: HarnessDisplayState) => [
  [...activeTools],
  [...modifiedFiles],
  [...activeSubagents],
];

/** A harness in which an approval waits, and what makes others on the same storage. */
async function waiting(open: () => EventLog) {
  const script = scriptByStep([[calls('echo', { value: 'a' })], 'Done.']);
  const another = () => scene(script, { storage: open(), tools: { echo } });
  const first = another();
  const sending = first.harness.sendMessage({ content: 'Go.' });
  await first.on('tool_approval_required');
  return { first, sending, another };
}

/** Expects a thread to keep as many tokens as are shown to those who follow it, and to those who read it later. */
async function expectKeptUsage(harness: Harness, totalTokens: number) {
  const [thread] = await harness.listThreads();
  expect(thread?.tokenUsage).toEqual(harness.getTokenUsage());
  expect(thread?.tokenUsage).toMatchObject({ totalTokens });
}

describe.each(stores)('a second harness on the same storage, %s', (_, make) => {
  it('shows the same thread, idle', async () => {
    const open = make();
    const script = scriptByStep([
      [
        calls('task_write', { tasks: [{ content: 'A', status: 'pending', activeForm: 'A' }] }),
        calls('write_file', { path: 'a.txt' }),
      ],
      'Done.',
    ]);
    const write_file = { description: 'writes', execute: () => 'ok' };
    const first = scene(script, { storage: open(), tools: { write_file }, ...yolo });
    await first.harness.createThread({ title: 'T' });
    await first.harness.sendMessage({ content: 'Go.' });
    const before = first.harness.getDisplayState();
    const second = scene(script, { storage: open(), tools: { write_file }, ...yolo });
    await second.harness.selectOrCreateThread();
    const after = second.harness.getDisplayState();
    expect(shown(after)).toEqual(shown(before));
    expect(maps(after)).toEqual(maps(before));
    expect(second.harness.getState()).toEqual(first.harness.getState());
    expect(JSON.stringify(await second.harness.listMessages())).toBe(
      JSON.stringify(await first.harness.listMessages()),
    );
    expect(second.lines()).toEqual(['thread_changed', 'state_changed']);
    await first.harness.destroy();
    await second.harness.destroy();
  });

  it('shows the pending approval, answers it, and the run continues there', async () => {
    const { first, sending, another } = await waiting(make());
    const before = first.harness.getDisplayState();
    await first.harness.destroy();
    await isDetached(sending);
    const second = another();
    await second.harness.selectOrCreateThread();
    expect(second.lines().slice(0, 5)).toEqual([
      'thread_changed',
      'agent_start',
      'message_start assistant tool_use',
      'tool_start echo',
      'tool_approval_required echo',
    ]);
    expect(shown(second.harness.getDisplayState())).toEqual(shown(before));
    expect(second.harness.isRunning()).toBe(true);
    second.harness.respondToToolApproval({ decision: 'approve' });
    await second.on('agent_end');
    expect(second.of('tool_end')).toMatchObject([{ result: 'a!' }]);
    expect(second.of('agent_end')).toEqual([{ type: 'agent_end', reason: 'complete' }]);
    await expectKeptUsage(second.harness, 22);
    expect(second.harness.getDisplayState()).toMatchObject({ isRunning: false, pendingApproval: null });
    await second.harness.destroy();
  });

  it('answers relays of the first, while that is running', async () => {
    const open = make();
    const script = scriptByStep([[calls('ask_user', { question: 'Why?' })], 'Done.']);
    const first = scene(script, { storage: open(), ...yolo });
    const sending = first.harness.sendMessage({ content: 'Go.' });
    const { questionId } = await first.on('ask_question');
    const second = scene(script, { storage: open(), ...yolo });
    await second.harness.selectOrCreateThread();
    expect(second.harness.getDisplayState().pendingQuestion).toMatchObject({ questionId, question: 'Why?' });
    second.harness.respondToQuestion({ questionId, answer: 'So.' });
    await sending;
    await second.on('agent_end');
    expect(first.of('tool_end')).toEqual(second.of('tool_end'));
    expect(first.model.requests).toHaveLength(2);
    expect(second.model.requests).toHaveLength(0);
    await first.harness.destroy();
    await second.harness.destroy();
  });

  it('sends into a run of the first', async () => {
    const { first, sending, another } = await waiting(make());
    const second = another();
    await second.harness.selectOrCreateThread();
    expect(second.harness.isRunning()).toBe(true);
    await second.harness.sendMessage({ content: 'And?' });
    first.harness.subscribe(event => {
      if (event.type === 'tool_approval_required') first.harness.respondToToolApproval({ decision: 'approve' });
    });
    first.harness.respondToToolApproval({ decision: 'approve' });
    await sending;
    await vi.waitFor(() => expect(first.harness.isRunning()).toBe(false));
    expect(sent(first.model)).toContain('user: And?');
    expect([...first.of('error'), ...second.of('error')]).toEqual([]);
    await first.harness.destroy();
    await second.harness.destroy();
  });

  it('can abort a run of the first', async () => {
    const { first, sending, another } = await waiting(make());
    const second = another();
    await second.harness.selectOrCreateThread();
    expect(first.of('agent_end')).toEqual([]);
    second.harness.abort();
    await sending;
    expect(first.of('agent_end').map(({ reason }) => reason)).toEqual(['aborted']);
    expect((await second.on('agent_end')).reason).toBe('aborted');
    expect([...first.of('error'), ...second.of('error')]).toEqual([]);
    await first.harness.destroy();
    await second.harness.destroy();
  });

  it('ends the orphaned run of the first on abort, and answers the next message', async () => {
    const { first, sending, another } = await waiting(make());
    const second = another();
    await second.harness.selectOrCreateThread();
    await first.harness.destroy();
    await isDetached(sending);
    second.harness.abort();
    const answered = second.harness.sendMessage({ content: 'Anew.' });
    await second.on('tool_approval_required', 2);
    second.harness.respondToToolApproval({ decision: 'approve' });
    await answered;
    expect(second.of('agent_end').map(({ reason }) => reason)).toEqual(['aborted', 'complete']);
    expect(second.of('agent_start')).toHaveLength(2);
    expect(second.of('error')).toEqual([]);
    expect(second.harness.isRunning()).toBe(false);
    expect(sent(second.model)).not.toContain('tool: a!');
    await second.harness.destroy();
  });

  it.each(['shows it', 'does not know of it yet'])(
    'resumes the orphaned run of the first when it sends, also when it %s',
    async knows => {
      const open = make();
      const { tool, begun } = waitingTool();
      const config = { tools: { wait: tool }, ...yolo };
      const first = scene([[calls('wait')]], { storage: open(), ...config });
      const second = scene(['Done.'], { storage: open(), ...config });
      await first.harness.createThread();
      if (knows !== 'shows it') await second.harness.selectOrCreateThread();
      const sending = first.harness.sendMessage({ content: 'Go.' });
      await begun.opened;
      if (knows === 'shows it') await second.harness.selectOrCreateThread();
      await first.harness.destroy();
      await isDetached(sending);
      await second.harness.sendMessage({ content: 'And?' });
      expect(sent(second.model).filter(said => said.startsWith('user'))).toEqual(['user: Go.', 'user: And?']);
      expect(second.of('agent_start')).toHaveLength(1);
      expect(second.of('agent_end')).toEqual([{ type: 'agent_end', reason: 'complete' }]);
      await expectKeptUsage(second.harness, 22);
      await second.harness.destroy();
    },
  );

  it('that uses the thread in turn with the first counts all tokens', async () => {
    const open = make();
    const first = scene(['One.', 'Three.'], { storage: open() });
    const second = scene(['Two.'], { storage: open() });
    await first.harness.sendMessage({ content: '1' });
    await second.harness.selectOrCreateThread();
    await second.harness.sendMessage({ content: '2' });
    await first.harness.sendMessage({ content: '3' });
    await expectKeptUsage(first.harness, 33);
    await first.harness.destroy();
    await second.harness.destroy();
  });

  it('that deletes the thread leaves the first without one, idle', async () => {
    const { first, sending, another } = await waiting(make());
    const second = another();
    await second.harness.memory.deleteThread({ threadId: first.harness.getCurrentThreadId() ?? '' });
    await sending;
    expect((await first.on('error')).error).toMatchObject({ code: 'thread_not_found' });
    expect(first.of('agent_end')).toHaveLength(1);
    expect(first.harness.getDisplayState()).toMatchObject({ isRunning: false, pendingApproval: null });
    expect([first.harness.isRunning(), first.harness.getCurrentThreadId()]).toEqual([false, null]);
    await first.harness.destroy();
    await second.harness.destroy();
  });

  it('finishes the planning of the first with the plan it approves', async () => {
    const open = make();
    const planner = scriptedModel(scriptByStep([[calls('submit_plan', { plan: '1. Do it' })], 'More of the plan.']));
    const modes = () => [
      { id: 'plan', agent: loopAgent({ id: 'planner', model: planner }) },
      { id: 'build', agent: loopAgent({ id: 'builder', model: scriptedModel(['Built.']) }), default: true },
    ];
    const [first, second] = [open(), open()].map(storage =>
      watch(new Harness({ id: 'h', storage, modes: modes(), ...yolo })),
    ) as [ReturnType<typeof watch>, ReturnType<typeof watch>];
    await first.harness.createThread();
    await first.harness.switchMode({ modeId: 'plan' });
    const sending = first.harness.sendMessage({ content: 'Plan.' });
    const { planId } = await first.on('plan_approval_required');
    await second.harness.selectOrCreateThread();
    await second.harness.respondToPlanApproval({ planId, response: { action: 'approved' } });
    await sending;
    expect(planner.requests).toHaveLength(1);
    expect([first, second].map(({ harness }) => harness.getCurrentModeId())).toEqual(['build', 'build']);
    expect(first.of('agent_end').map(({ reason }) => reason)).toEqual(['complete']);
    await first.harness.sendMessage({ content: 'Go.' });
    expect((await first.harness.listMessages()).at(-1)?.content).toEqual([{ type: 'text', text: 'Built.' }]);
    await first.harness.destroy();
    await second.harness.destroy();
  });
});

describe('after a restart', () => {
  it('the mode, the model and the settings of the thread are restored', async () => {
    const storage = new MemoryLog();
    const make = () =>
      watch(
        new Harness({
          id: 'h',
          storage,
          modes: ['plan', 'build'].map(id => ({ id, agent: loopAgent({ id, model: scriptedModel(['Hi.']) }) })),
          ...anyModel,
        }),
      );
    const first = make();
    await first.harness.createThread();
    await first.harness.switchMode({ modeId: 'build' });
    await first.harness.switchModel({ modelId: 'a/kept', scope: 'thread' });
    await first.harness.setSubagentModelId({ modelId: 'a/small', agentType: 'explore' });
    await first.harness.switchObserverModel({ modelId: 'a/observer' });
    await first.harness.destroy();
    const { harness, lines } = make();
    await harness.selectOrCreateThread();
    expect(harness.getCurrentModeId()).toBe('build');
    expect(harness.getCurrentModelId()).toBe('a/kept');
    expect(harness.getSubagentModelId({ agentType: 'explore' })).toBe('a/small');
    expect(harness.getObserverModelId()).toBe('a/observer');
    expect(lines()).toEqual(['thread_changed', 'state_changed', 'model_changed', 'mode_changed']);
  });

  it('the model of one thread does not apply to another', async () => {
    const storage = new MemoryLog();
    await storage.createThread({ id: 'plain', resourceId: 'harness' });
    await storage.createThread({ id: 'own', resourceId: 'harness', metadata: { modeModelId_main: 'a/own' } });
    const agent = loopAgent({ model: scriptedModel([]) });
    const harness = new Harness({
      id: 'harness',
      storage,
      modes: [{ id: 'main', agent, defaultModelId: 'a/default' }],
    });
    await harness.switchThread({ threadId: 'own' });
    expect(harness.getCurrentModelId()).toBe('a/own');
    await harness.switchThread({ threadId: 'plain' });
    expect(harness.getCurrentModelId()).toBe('a/default');
  });

  it('a run resumes with the agent of its mode, though agents of modes have the same id', async () => {
    const storage = new MemoryLog();
    const plan = scriptedModel(scriptByStep([[calls('echo', { value: 'a' })], 'Planned.']));
    const build = scriptedModel(['Built.']);
    const make = () =>
      watch(
        new Harness({
          id: 'h',
          storage,
          tools: { echo },
          modes: [
            { id: 'build', agent: loopAgent({ model: build }) },
            { id: 'plan', agent: () => loopAgent({ model: plan }) },
          ],
        }),
      );
    const first = make();
    await first.harness.switchMode({ modeId: 'plan' });
    const sending = first.harness.sendMessage({ content: 'Go.' });
    await first.on('tool_approval_required');
    await first.harness.destroy();
    await isDetached(sending);
    const second = make();
    await second.harness.selectOrCreateThread();
    second.harness.respondToToolApproval({ decision: 'approve' });
    await second.on('agent_end');
    expect(build.requests).toHaveLength(0);
    expect((await second.harness.listMessages()).at(-1)?.content.at(-1)).toEqual({ type: 'text', text: 'Planned.' });
  });

  it.each<[string, Partial<HarnessConfig>, (harness: Harness) => void]>([
    ['yolo', yolo, () => {}],
    ['a rule', { initialState: { permissionRules: { categories: {}, tools: { echo: 'allow' } } } }, () => {}],
    ['a grant', {}, harness => harness.grantSessionTool({ toolName: 'echo' })],
  ])('what waits and is allowed by now goes on unasked: by %s', async (_, config, allow) => {
    const storage = new MemoryLog();
    const script = scriptByStep([[calls('echo', { value: 'a' })], 'Done.']);
    const first = scene(script, { storage, tools: { echo } });
    const sending = first.harness.sendMessage({ content: 'Go.' });
    await first.on('tool_approval_required');
    await first.harness.destroy();
    await isDetached(sending);
    const { harness, events, of, on } = scene(script, { storage, tools: { echo }, ...config });
    allow(harness);
    await harness.selectOrCreateThread();
    await Promise.race([on('agent_end'), on('tool_approval_required')]);
    expect(of('tool_approval_required')).toEqual([]);
    expect(
      events.flatMap(event => ('displayState' in event ? (event.displayState.pendingApproval ?? []) : [])),
    ).toEqual([]);
    expect(of('tool_end')).toMatchObject([{ result: 'a!' }]);
    expect([of('agent_end').length, of('error').length]).toEqual([1, 0]);
  });

  it('of several pending calls only those that are not allowed by now are emitted', async () => {
    const storage = new MemoryLog();
    const script = scriptByStep([[calls('echo', { value: 'a' }), calls('other', { value: 'b' })], 'Done.']);
    const tools = { echo, other: echo };
    const first = scene(script, { storage, tools });
    const sending = first.harness.sendMessage({ content: 'Go.' });
    await first.on('tool_approval_required');
    await first.harness.destroy();
    await isDetached(sending);
    const { harness, of, on } = scene(script, { storage, tools });
    harness.grantSessionTool({ toolName: 'echo' });
    await harness.selectOrCreateThread();
    await on('tool_approval_required');
    harness.respondToToolApproval({ decision: 'approve' });
    await on('agent_end');
    expect(of('tool_approval_required').map(({ toolName }) => toolName)).toEqual(['other']);
    expect(new Set(of('tool_end').map(({ result }) => result))).toEqual(new Set(['a!', 'b!']));
  });

  it('a pending call that was allowed is not asked about again', async () => {
    const storage = new MemoryLog();
    const script = scriptByStep([[calls('ask_user', { question: 'Why?' })], 'Done.']);
    const first = scene(script, { storage, ...yolo });
    const sending = first.harness.sendMessage({ content: 'Go.' });
    const { questionId } = await first.on('ask_question');
    await first.harness.destroy();
    await isDetached(sending);
    const { harness, of, on } = scene(script, { storage });
    await harness.selectOrCreateThread();
    harness.respondToQuestion({ questionId, answer: 'So.' });
    await Promise.race([on('agent_end'), on('tool_approval_required')]);
    expect(of('tool_approval_required')).toEqual([]);
    expect(of('agent_end')).toEqual([{ type: 'agent_end', reason: 'complete' }]);
  });

  it('an active subagent is not asked about again', async () => {
    const storage = new MemoryLog();
    const script = scriptByStep([[calls('subagent', { agentType: 'explore', task: 'Look.' })], 'Done.']);
    const config = {
      storage,
      tools: { echo },
      resolveModel: () => scriptedModel(scriptByStep([[calls('echo', { value: 'a' })], 'Seen.'])),
      subagents: [
        {
          id: 'explore',
          name: 'Explore',
          description: 'looks',
          instructions: 'Look.',
          allowedHarnessTools: ['echo'],
          defaultModelId: 'a/small',
        },
      ],
    };
    const first = scene(script, config);
    first.harness.grantSessionTool({ toolName: 'subagent' });
    const sending = first.harness.sendMessage({ content: 'Go.' });
    await first.on('tool_approval_required');
    await first.harness.destroy();
    await isDetached(sending);
    const { harness, of, on } = scene(script, config);
    await harness.selectOrCreateThread();
    harness.respondToToolApproval({ decision: 'approve' });
    await Promise.race([on('agent_end'), on('tool_approval_required', 2)]);
    expect(of('tool_approval_required').map(({ toolName }) => toolName)).toEqual(['echo']);
    expect(of('subagent_end')).toMatchObject([{ result: 'Seen.' }]);
  });

  it('a run that cannot be resumed has ended, and the next message is answered', async () => {
    const storage = new MemoryLog();
    const { tool, begun } = waitingTool();
    const first = scene([[calls('wait')]], { storage, tools: { wait: tool }, ...yolo });
    const sending = first.harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await first.harness.destroy();
    await isDetached(sending);
    const agent = { ...loopAgent({ id: 'main', model: scriptedModel(['Hi.']) }), abilities: { hasOwnModel: true } };
    const { harness, lines } = watch(new Harness({ id: 'harness', storage, modes: [{ id: 'main', agent }] }));
    await harness.selectOrCreateThread();
    expect(lines().slice(-4)).toEqual([
      expect.stringContaining('info The process of "main" ended') as string,
      'usage_update',
      expect.stringContaining('message_end assistant error') as string,
      'agent_end error',
    ]);
    await expectKeptUsage(harness, 11);
    await harness.sendMessage({ content: 'Again.' });
    expect(lines().at(-1)).toBe('agent_end complete');
  });

  it.each([0, 1, 2, 5, 20])('a harness may be destroyed while a message is sent: after %i moments', async moments => {
    const held = new Set<string>();
    const threadLock = { acquire: (id: string) => void held.add(id), release: (id: string) => void held.delete(id) };
    const { harness } = scene(['Hi.'], { threadLock });
    const sending = harness.sendMessage({ content: 'Hi.' }).catch(() => {});
    for (let moment = 0; moment < moments; moment++) await Promise.resolve();
    await harness.destroy();
    await sending;
    expect([...held]).toEqual([]);
  });

  it('a destroyed harness rejects every call', async () => {
    const { harness, events } = scene(['Hi.']);
    await harness.createThread();
    await harness.destroy();
    const count = events.length;
    await expect(harness.sendMessage({ content: 'Hi.' })).rejects.toMatchObject({ code: 'log_closed' });
    await expect(harness.createThread()).rejects.toThrow('Create a new one');
    expect(events).toHaveLength(count);
  });
});
