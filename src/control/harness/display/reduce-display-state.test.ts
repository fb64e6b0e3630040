import { describe, expect, it } from 'vitest';
import type { DisplayEvent } from '../harness-event.ts';
import type { HarnessMessage } from '../harness-message.ts';
import { defaultDisplayState, type HarnessDisplayState } from './display-state.ts';
import { toView } from './display-view.ts';
import { reduceDisplayState } from './reduce-display-state.ts';

const at = new Date('2025-01-01T00:00:00Z');
const show = (events: readonly DisplayEvent[], from: HarnessDisplayState = defaultDisplayState()) =>
  events.reduce((state, event) => reduceDisplayState(state, event, at), from);
const message = (id: string): HarnessMessage => ({ id, role: 'assistant', content: [], createdAt: at });
const toolStart = (toolName: string, args: unknown = {}): DisplayEvent => ({
  type: 'tool_start',
  toolCallId: 'c',
  toolName,
  args,
});
const toolEnd = (isError: boolean): DisplayEvent => ({ type: 'tool_end', toolCallId: 'c', result: 'r', isError });
const approval: DisplayEvent = { type: 'tool_approval_required', toolCallId: 'c', toolName: 'x', args: {} };
const question: DisplayEvent = { type: 'ask_question', questionId: 'q', question: 'Which?' };
const plan: DisplayEvent = { type: 'plan_approval_required', planId: 'p', title: 'T', plan: 'x' };
const suspended: DisplayEvent = {
  type: 'tool_suspended',
  toolCallId: 's',
  toolName: 'x',
  args: {},
  suspendPayload: { why: 1 },
};
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

describe('the agent on the display', () => {
  it('starts with a clean turn', () => {
    const before = show([
      toolStart('x'),
      { type: 'tool_input_start', toolCallId: 'd', toolName: 'y' },
      approval,
      suspended,
    ]);
    const after = show([{ type: 'message_start', message: message('m') }, { type: 'agent_start' }], before);
    expect(after).toEqual({ ...defaultDisplayState(), isRunning: true });
  });

  it('ends with nothing pending, no subagents, and running tools as failed', () => {
    const busy: DisplayEvent[] = [
      { type: 'agent_start' },
      toolStart('x'),
      approval,
      question,
      plan,
      suspended,
      { type: 'subagent_start', toolCallId: 'c', agentType: 't', task: 'x', modelId: 'm' },
    ];
    const after = show([...busy, { type: 'agent_end', reason: 'aborted' }]);
    expect(after).toMatchObject({
      isRunning: false,
      pendingApproval: null,
      pendingQuestion: null,
      pendingPlanApproval: null,
      pendingSuspension: null,
    });
    expect([after.activeSubagents.size, after.activeTools.get('c')?.status]).toEqual([0, 'error']);
    expect(show([...busy, { type: 'agent_end', reason: 'suspended' }]).pendingSuspension).toMatchObject({
      toolCallId: 's',
      suspendPayload: { why: 1 },
    });
  });

  it('shows the newest message, also when it has ended', () => {
    const [first, last] = [message('m'), message('m')];
    expect(show([{ type: 'message_start', message: first }]).currentMessage).toBe(first);
    expect(
      show([
        { type: 'message_update', message: first },
        { type: 'message_end', message: last },
      ]).currentMessage,
    ).toBe(last);
  });
});

describe('a tool on the display', () => {
  it('goes from arguments to running to completed', () => {
    const input: DisplayEvent[] = [
      { type: 'tool_input_start', toolCallId: 'c', toolName: 'x' },
      { type: 'tool_input_delta', toolCallId: 'c', argsTextDelta: '{"a"' },
      { type: 'tool_input_delta', toolCallId: 'c', argsTextDelta: ':1}' },
    ];
    const writing = show(input);
    expect(writing.toolInputBuffers.get('c')).toEqual({ text: '{"a":1}', toolName: 'x' });
    expect(writing.activeTools.get('c')).toEqual({ name: 'x', args: {}, status: 'streaming_input' });
    const running = show([{ type: 'tool_input_end', toolCallId: 'c' }, toolStart('x', { a: 1 })], writing);
    expect(running.toolInputBuffers.size).toBe(0);
    expect(running.activeTools.get('c')).toEqual({ name: 'x', args: { a: 1 }, status: 'running' });
    expect(show([toolEnd(false)], running).activeTools.get('c')).toEqual({
      name: 'x',
      args: { a: 1 },
      status: 'completed',
      result: 'r',
      isError: false,
    });
    expect(show([toolEnd(true)], running).activeTools.get('c')?.status).toBe('error');
  });

  it('shows its progress as text, and its shell output concatenated', () => {
    const { activeTools } = show([
      toolStart('x'),
      { type: 'tool_update', toolCallId: 'c', partialResult: { key: 'value' } },
      { type: 'shell_output', toolCallId: 'c', output: 'a\n', stream: 'stdout' },
      { type: 'shell_output', toolCallId: 'c', output: 'b\n', stream: 'stderr' },
    ]);
    expect(activeTools.get('c')).toMatchObject({ partialResult: '{"key":"value"}', shellOutput: 'a\nb\n' });
    expect(show([{ type: 'tool_update', toolCallId: 'none', partialResult: 'x' }]).activeTools.size).toBe(0);
  });

  it('that changed a file records the file when it succeeded', () => {
    const write = [toolStart('write_file', { path: 'a.ts' }), toolEnd(false)];
    expect(show([...write, toolStart('string_replace_lsp', { path: 'a.ts' }), toolEnd(false)]).modifiedFiles).toEqual(
      new Map([['a.ts', { operations: ['write_file', 'string_replace_lsp'], firstModified: at }]]),
    );
    const others = [
      toolStart('write_file', { path: 'b' }),
      toolEnd(true),
      toolStart('bash', { path: 'c' }),
      toolEnd(false),
    ];
    expect(show(others).modifiedFiles.size).toBe(0);
  });

  it('records no file when it was denied, and the revised file when it was revised', () => {
    const write = toolStart('write_file', { path: 'a.ts' });
    const result = 'Tool call was not approved by the user';
    const declined: DisplayEvent = { type: 'tool_end', toolCallId: 'c', result, isError: false };
    expect(show([write, declined]).modifiedFiles.size).toBe(0);
    const revised = show([write, { type: 'tool_revised', toolCallId: 'c', args: { path: 'b.ts' } }, toolEnd(false)]);
    expect([...revised.modifiedFiles.keys()]).toEqual(['b.ts']);
    expect(revised.activeTools.get('c')).toMatchObject({ args: { path: 'b.ts' } });
  });
});

describe('a display state', () => {
  it('counts nothing for missing usage fields', () => {
    const { tokenUsage } = show([
      { type: 'usage_update', usage },
      { type: 'usage_update', usage: { promptTokens: 4 } as typeof usage },
    ]);
    expect(tokenUsage).toMatchObject({ promptTokens: 5, completionTokens: 2, totalTokens: 3 });
  });

  it('cannot be changed through its tasks and usage', () => {
    const task = { id: 'task_a', content: 'A', status: 'pending' as const, activeForm: 'A' };
    const tasks = [task];
    const state = show([
      { type: 'task_updated', tasks },
      { type: 'usage_update', usage },
    ]);
    const changes = [defaultDisplayState(), state].flatMap(({ tasks: shown, previousTasks, tokenUsage }) => [
      () => void shown.push(task),
      () => void previousTasks.push(task),
      () => void Object.assign(tokenUsage, { promptTokens: 99 }),
    ]);
    changes.push(() => void Object.assign(state.tasks[0] as object, { content: 'B' }));
    for (const change of changes) expect(change).toThrow(TypeError);
    tasks.pop();
    expect(state.tasks).toEqual([task]);
  });
});

describe('a pending relay', () => {
  it('is shown until it is answered', () => {
    const asked = show([approval, question, plan, suspended]);
    expect(asked).toMatchObject({
      pendingApproval: { toolCallId: 'c', toolName: 'x', args: {} },
      pendingQuestion: { questionId: 'q', question: 'Which?' },
      pendingPlanApproval: { planId: 'p', title: 'T', plan: 'x' },
      pendingSuspension: { toolCallId: 's' },
    });
    const settled = show(
      [
        { type: 'relay_settled', slot: 'approval', id: 'c' },
        { type: 'relay_settled', slot: 'question', id: 'q' },
        { type: 'relay_settled', slot: 'plan', id: 'p' },
        { type: 'relay_settled', slot: 'suspension', id: 's' },
      ],
      asked,
    );
    expect(settled).toEqual(defaultDisplayState());
    expect(show([{ type: 'plan_approved' }], asked).pendingPlanApproval).toBeNull();
  });

  it('is not cleared by the answer to something else', () => {
    const asked = show([approval, question]);
    const other: DisplayEvent[] = [
      { type: 'relay_settled', slot: 'approval', id: 'other' },
      { type: 'relay_settled', slot: 'question', id: 'other' },
    ];
    expect(show(other, asked)).toBe(asked);
  });
});

describe('a subagent on the display', () => {
  it('has its display name', () => {
    const started = { type: 'subagent_start', toolCallId: 'c', agentType: 't', task: 'x', modelId: 'm' } as const;
    const names = new Map([['t', 'Tester']]);
    const shown = reduceDisplayState(defaultDisplayState(), started, at, names);
    expect(shown.activeSubagents.get('c')?.displayName).toBe('Tester');
    expect(show([started]).activeSubagents.get('c')).not.toHaveProperty('displayName');
  });

  const about = { toolCallId: 'c', agentType: 'explore' };
  it('shows its text, its calls with their failures, and its outcome', () => {
    const events: DisplayEvent[] = [
      { type: 'subagent_start', ...about, task: 'Find.', modelId: 'm', forked: true },
      { type: 'subagent_text_delta', ...about, textDelta: 'I ' },
      { type: 'subagent_text_delta', ...about, textDelta: 'look.' },
      { type: 'subagent_tool_start', ...about, subToolName: 'read', subToolArgs: {} },
      { type: 'subagent_tool_start', ...about, subToolName: 'grep', subToolArgs: {} },
      { type: 'subagent_tool_end', ...about, subToolName: 'read', subToolResult: 'x', isError: true },
      { type: 'subagent_end', ...about, result: 'done', isError: false, durationMs: 9 },
    ];
    expect(show(events).activeSubagents.get('c')).toEqual({
      agentType: 'explore',
      task: 'Find.',
      modelId: 'm',
      forked: true,
      textDelta: 'I look.',
      toolCalls: [
        { name: 'read', isError: true },
        { name: 'grep', isError: false },
      ],
      status: 'completed',
      durationMs: 9,
      result: 'done',
    });
  });
});

describe('the thread on the display', () => {
  const busy = show([
    { type: 'agent_start' },
    toolStart('write_file', { path: 'a' }),
    toolEnd(false),
    approval,
    { type: 'usage_update', usage },
    { type: 'task_updated', tasks: [{ id: 'a', content: 'A', status: 'pending', activeForm: 'A' }] },
    { type: 'om_observation_start', cycleId: 'c', operationType: 'observation', tokensToObserve: 5 },
  ]);

  it('is reset for another thread; isRunning stays', () => {
    const fresh = { ...defaultDisplayState(), isRunning: true };
    const thread = { id: 't', resourceId: 'r', createdAt: at, updatedAt: at };
    expect(show([{ type: 'thread_created', thread }], busy)).toEqual(fresh);
    const display = { ...defaultDisplayState(), tokenUsage: usage, tasks: busy.tasks };
    expect(
      show(
        [
          { type: 'thread_changed', threadId: 't', previousThreadId: null },
          { type: 'thread_loaded', display: toView(display) },
        ],
        busy,
      ),
    ).toEqual(display);
    expect(show([{ type: 'thread_deleted', threadId: 'other' }], busy)).toBe(busy);
    expect(show([{ type: 'thread_deleted', threadId: 't' }, { type: 'thread_cleared' }], busy)).toEqual(fresh);
  });

  it('sums the usage of the steps', () => {
    const { tokenUsage } = show([{ type: 'usage_update', usage: { ...usage, reasoningTokens: 4 } }], busy);
    expect(tokenUsage).toMatchObject({ promptTokens: 2, completionTokens: 4, totalTokens: 6, reasoningTokens: 4 });
  });

  it('keeps the previous tasks, also when tasks are restored', () => {
    const done = [{ id: 'a', content: 'A', status: 'completed' as const, activeForm: 'A' }];
    expect(show([{ type: 'task_updated', tasks: done }], busy)).toMatchObject({
      tasks: done,
      previousTasks: busy.tasks,
    });
    const restored = { type: 'tasks_restored', tasks: done } as const;
    expect(show([restored], busy)).toMatchObject({ tasks: done, previousTasks: busy.tasks });
    expect(show([restored, restored], busy)).toMatchObject({ tasks: done, previousTasks: busy.tasks });
  });
});

describe('observational memory on the display', () => {
  const idle = {
    status: 'idle',
    chunks: 0,
    messageTokens: 0,
    projectedMessageRemoval: 0,
    observationTokens: 0,
  } as const;
  const status = (tokens: number, observed: number): DisplayEvent => ({
    type: 'om_status',
    windows: {
      active: { messages: { tokens, threshold: 30_000 }, observations: { tokens: observed, threshold: 40_000 } },
      buffered: {
        observations: { ...idle, status: 'running' },
        reflection: { status: 'idle', inputObservationTokens: 0, observationTokens: 0 },
      },
    },
    recordId: 'r',
    threadId: 't',
    stepNumber: 3,
    generationCount: 2,
  });

  it('shows how full the windows are', () => {
    const state = show([status(15_000, 8000)]);
    expect(state.omProgress).toMatchObject({
      pendingTokens: 15_000,
      thresholdPercent: 50,
      observationTokens: 8000,
      reflectionThresholdPercent: 20,
      stepNumber: 3,
      generationCount: 2,
    });
    expect([state.bufferingMessages, state.bufferingObservations]).toEqual([true, false]);
  });

  it('follows an observation from start to end', () => {
    const start: DisplayEvent = {
      type: 'om_observation_start',
      cycleId: 'c',
      operationType: 'observation',
      tokensToObserve: 5,
    };
    const observing = show([status(15_000, 0), start]);
    expect(observing.omProgress).toMatchObject({ status: 'observing', cycleId: 'c', startTime: at.getTime() });
    const end: DisplayEvent = {
      type: 'om_observation_end',
      cycleId: 'c',
      durationMs: 1,
      tokensObserved: 5,
      observationTokens: 6000,
    };
    const { omProgress } = show([end], observing);
    expect(omProgress).toMatchObject({
      status: 'idle',
      pendingTokens: 0,
      thresholdPercent: 0,
      observationTokens: 6000,
    });
    expect(omProgress).not.toHaveProperty('cycleId');
    expect(
      show([{ type: 'om_observation_failed', cycleId: 'c', error: 'x', durationMs: 1 }], observing).omProgress.status,
    ).toBe('idle');
  });

  it('follows a reflection, and keeps the token count before it', () => {
    const reflecting = show([
      status(0, 10_000),
      { type: 'om_reflection_start', cycleId: 'c', tokensToReflect: 42_000 },
    ]);
    expect(reflecting.omProgress).toMatchObject({
      status: 'reflecting',
      preReflectionTokens: 10_000,
      observationTokens: 42_000,
      reflectionThresholdPercent: 105,
    });
    const end: DisplayEvent = { type: 'om_reflection_end', cycleId: 'c', durationMs: 1, compressedTokens: 20_000 };
    expect(show([end], reflecting).omProgress).toMatchObject({ status: 'idle', reflectionThresholdPercent: 50 });
  });

  it('shows which kind is being buffered', () => {
    const start = (operationType: 'observation' | 'reflection'): DisplayEvent => ({
      type: 'om_buffering_start',
      cycleId: 'c',
      operationType,
      tokensToBuffer: 1,
    });
    const flags = ({ bufferingMessages, bufferingObservations }: HarnessDisplayState) => [
      bufferingMessages,
      bufferingObservations,
    ];
    const both = show([start('observation'), start('reflection')]);
    expect(flags(both)).toEqual([true, true]);
    expect(
      flags(show([{ type: 'om_buffering_failed', cycleId: 'c', operationType: 'reflection', error: 'x' }], both)),
    ).toEqual([true, false]);
  });

  it('takes its thresholds from the state', () => {
    const change: DisplayEvent = {
      type: 'state_changed',
      state: { observationThreshold: 20_000, yolo: true },
      changedKeys: ['observationThreshold', 'yolo'],
    };
    expect(show([status(15_000, 0), change]).omProgress).toMatchObject({ threshold: 20_000, thresholdPercent: 75 });
  });
});

describe('structural sharing', () => {
  it('keeps unchanged parts, and returns the same state for an event without effect', () => {
    const state = show([toolStart('x'), { type: 'task_updated', tasks: [] }]);
    const next = show([{ type: 'message_update', message: message('m') }], state);
    expect([next.activeTools, next.tasks, next.omProgress]).toEqual([state.activeTools, state.tasks, state.omProgress]);
    expect(next.activeTools).toBe(state.activeTools);
    expect(show([{ type: 'info', message: 'x' }], state)).toBe(state);
  });
});
