import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { RelayAnswer } from '../../../agents/contract/host.ts';
import { checkInput } from '../../../agents/loop/tool.ts';
import type { ToolEvent, ToolQuestion } from '../../../agents/contract/tool-values.ts';
import type { Tool, ToolCall } from '../../../agents/contract/agent.ts';
import type { HarnessEvent } from '../harness-event.ts';
import { type PlanResponse, type HarnessQuestionAnswer, RequestContext } from './request-context.ts';
import { StateStore } from '../settings/state-store.ts';
import { TaskBoard } from '../../../agents/tasks/task-board.ts';
import { askUserTool } from './ask-user.ts';
import { builtinTools } from './builtin-tools.ts';
import { loopTools } from './harness-tool.ts';
import { parseSubagentMeta, withSubagentMeta } from './subagent-meta.ts';
import { submitPlanTool } from './submit-plan.ts';
import { taskCheckTool, taskCompleteTool, taskUpdateTool, taskWriteTool } from './task-tools.ts';

/** The side of the loop: records what a tool asks and emits, and returns the given answers. */
function loop(answer?: Partial<RelayAnswer>) {
  const asked: ToolQuestion[] = [];
  const emitted: ToolEvent[] = [];
  const side: Pick<ToolCall, 'toolCallId' | 'signal' | 'emit' | 'ask'> = {
    toolCallId: 'run/c',
    signal: new AbortController().signal,
    emit: async event => void emitted.push(event),
    ask: async question => {
      asked.push(question);
      return answer && { relayId: 'r', outcome: 'answer', ...answer };
    },
  };
  const context = side as ToolCall;
  return { asked, emitted, context };
}

const board = new TaskBoard();
const toolNamed = (name: string, tools = builtinTools(board)): Tool => tools.find(tool => tool.name === name) as Tool;
const result = async (name: string, input: unknown, side: ReturnType<typeof loop>, tools?: Tool[]) => {
  const returned = await toolNamed(name, tools).execute(input, side.context);
  return (returned as { result: Record<string, unknown> }).result;
};

/** The side of a harness: questions and plans wait until the test answers them. */
function harness(tasks: unknown[] = []) {
  const events: HarnessEvent[] = [];
  const store = new StateStore({ initialState: { tasks }, onEvents: emitted => void events.push(...emitted) });
  const questions: ((answer: HarnessQuestionAnswer) => void)[] = [];
  const plans: ((response: PlanResponse) => void)[] = [];
  const stop = new AbortController();
  const requestContext = new RequestContext([
    [
      'harness',
      {
        getState: () => store.get(),
        updateState: store.update.bind(store),
        abortSignal: stop.signal,
        emitEvent: (event: HarnessEvent) => void events.push(event),
        registerQuestion: ({ resolve }: { resolve: (answer: HarnessQuestionAnswer) => void }) =>
          void questions.push(resolve),
        registerPlanApproval: ({ resolve }: { resolve: (response: PlanResponse) => void }) => void plans.push(resolve),
      },
    ],
  ]);
  return { events, store, questions, plans, stop, context: { requestContext } };
}

describe('ask_user', () => {
  const options = [{ label: 'A' }, { label: 'B', description: 'the other' }];

  it('asks through a relay in the loop and returns the answer', async () => {
    const free = loop({ answer: 'Yes' });
    expect(await result('ask_user', { question: 'Sure?' }, free)).toEqual({
      content: 'User answered: Yes',
      isError: false,
    });
    expect(free.asked).toEqual([{ relayKind: 'question', question: 'Sure?' }]);
    const choice = loop({ answer: ['A', 'C'] });
    expect(await result('ask_user', { question: 'Which?', options }, choice)).toMatchObject({
      content: 'User answered: A, C',
    });
    expect(choice.asked).toEqual([
      { relayKind: 'question', question: 'Which?', options, selectionMode: 'single_select' },
    ]);
  });

  it('returns the text to the model and the whole result to programs', async () => {
    const returned = await toolNamed('ask_user').execute({ question: 'Sure?' }, loop({ answer: 'Yes' }).context);
    expect(returned).toEqual({
      context: 'User answered: Yes',
      result: { content: 'User answered: Yes', isError: false },
    });
  });

  it('returns why there is no answer', async () => {
    const without = (answer: Partial<RelayAnswer> | undefined) =>
      result('ask_user', { question: 'Sure?' }, loop(answer));
    expect(await without(undefined)).toEqual({ content: '[Question for user]: Sure?', isError: false });
    expect(await without({ outcome: 'expired' })).toEqual({
      content: 'Failed to ask user: Nobody answered in time.',
      isError: true,
    });
    expect(await without({ outcome: 'cancelled' })).toEqual({ content: 'Failed to ask user: Aborted', isError: true });
    expect(await without({ outcome: 'reject', feedback: 'busy' })).toMatchObject({
      isError: true,
      content: 'Failed to ask user: The user did not answer: busy',
    });
  });

  it('requires options with a selection mode', async () => {
    const failed = { content: 'Failed to ask user: selectionMode requires options.', isError: true };
    expect(await askUserTool.execute({ question: 'Q', selectionMode: 'multi_select' })).toEqual(failed);
    expect(await askUserTool.execute({ question: 'Q', options: [], selectionMode: 'multi_select' })).toEqual(failed);
  });

  it('asks through the harness of its request context, and asks nobody outside of one', async () => {
    const { context, events, questions } = harness();
    const asking = askUserTool.execute({ question: 'Which?', options, selectionMode: 'multi_select' }, context);
    expect(events).toMatchObject([
      {
        type: 'ask_question',
        questionId: expect.stringMatching(/^q_\d+_\d+$/) as string,
        selectionMode: 'multi_select',
      },
    ]);
    questions[0]?.(['A', 'B']);
    expect(await asking).toEqual({ content: 'User answered: A, B', isError: false });
    expect(await askUserTool.execute({ question: 'Which?', options }, {})).toEqual({
      content: '[Question for user]: Which?\nOptions: A, B\nSelection mode: single_select',
      isError: false,
    });
  });

  it('stops waiting when the harness is aborted, also before it asked', async () => {
    const { context, stop } = harness();
    const asking = askUserTool.execute({ question: 'Which?' }, context);
    stop.abort();
    const aborted = { content: 'Failed to ask user: Aborted', isError: true };
    expect([await asking, await askUserTool.execute({ question: 'Which?' }, context)]).toEqual([aborted, aborted]);
  });
});

describe('submit_plan', () => {
  it('waits for the decision and returns it with the feedback', async () => {
    const approved = loop({ outcome: 'approve' });
    expect(await result('submit_plan', { plan: '1. Go' }, approved)).toMatchObject({
      content: expect.stringContaining('Plan approved') as string,
      isError: false,
    });
    expect(approved.asked).toEqual([
      { relayKind: 'plan', planId: 'plan:run/c', title: 'Implementation Plan', plan: '1. Go' },
    ]);
    const { content } = await result(
      'submit_plan',
      { title: 'T', plan: 'x' },
      loop({ outcome: 'reject', feedback: 'More detail' }),
    );
    expect(content).toContain('not approved');
    expect(content).toContain('User feedback: More detail');
  });

  it('works with a harness and without one', async () => {
    const { context, events, plans } = harness();
    const submitting = submitPlanTool.execute({ title: '', plan: 'x' }, context);
    expect(events).toMatchObject([{ type: 'plan_approval_required', title: 'Implementation Plan', plan: 'x' }]);
    plans[0]?.({ action: 'approved' });
    expect(await submitting).toMatchObject({ isError: false });
    expect(await submitPlanTool.execute({ title: 'T', plan: 'x' })).toMatchObject({
      content: expect.stringContaining('T') as string,
      isError: false,
    });
  });
});

describe('the task tools', () => {
  const task = (id: string, status = 'pending') => ({ id, content: `Do ${id}`, status, activeForm: `Doing ${id}` });
  const statuses = (tasks: unknown) => (tasks as { status: string }[]).map(({ status }) => status);

  it('change the list of the thread, and write each new list into the run', async () => {
    const own = builtinTools(new TaskBoard());
    const side = loop();
    const written = await result(
      'task_write',
      { tasks: [{ content: 'Run tests', status: 'in_progress', activeForm: 'Running tests' }] },
      side,
      own,
    );
    expect(written).toMatchObject({
      isError: false,
      content: expect.stringContaining('task_run_tests: Run tests') as string,
    });
    expect(await result('task_complete', { id: 'task_run_tests' }, side, own)).toMatchObject({ isError: false });
    expect(await result('task_check', {}, side, own)).toMatchObject({
      content: expect.stringContaining('All tasks completed: YES') as string,
      summary: { total: 1, completed: 1, allCompleted: true },
    });
    expect(side.emitted.map(event => event.type === 'tasks' && statuses(event.tasks))).toEqual([
      ['in_progress'],
      ['completed'],
    ]);
  });

  it('reject two active tasks, and change nothing', async () => {
    const { context, store } = harness([task('a')]);
    const before = store.setting('tasks');
    expect(
      await taskWriteTool.execute({ tasks: [task('b', 'in_progress'), task('c', 'in_progress')] as never }, context),
    ).toEqual({
      content: 'Only one task can be in_progress at a time.',
      tasks: before,
      isError: true,
    });
    expect(store.setting('tasks')).toBe(before);
  });

  it('change one task; starting a task sets the active one back to pending', async () => {
    const { context, store, events } = harness([task('a', 'in_progress'), task('b')]);
    expect(await taskUpdateTool.execute({ id: 'b', status: 'in_progress' }, context)).toMatchObject({ isError: false });
    expect(statuses(store.setting('tasks'))).toEqual(['pending', 'in_progress']);
    expect(events).toEqual([{ type: 'task_updated', tasks: store.setting('tasks') }]);
    await taskCompleteTool.execute({ id: 'b' }, context);
    expect(statuses(store.setting('tasks'))).toEqual(['pending', 'completed']);
  });

  it('list the known ids for an unknown one', async () => {
    const { context } = harness([task('a'), task('b')]);
    expect(await taskUpdateTool.execute({ id: 'x', status: 'completed' }, context)).toMatchObject({
      content: 'Task not found: x. Available ids: a, b',
      isError: true,
    });
    expect(await checkInput(toolNamed('task_update'), { id: 'a' })).toMatchObject({
      problem: expect.stringContaining('give content') as string,
    });
  });

  it('check the list: active tasks first', async () => {
    const { context } = harness([task('a'), task('b', 'in_progress'), task('c', 'completed')]);
    const checked = await taskCheckTool.execute({}, context);
    expect(checked).toMatchObject({
      summary: {
        total: 3,
        completed: 1,
        inProgress: 1,
        pending: 1,
        incomplete: 2,
        hasTasks: true,
        allCompleted: false,
      },
      incompleteTasks: [{ id: 'b' }, { id: 'a' }],
      isError: false,
    });
    expect(checked.content).toContain('All tasks completed: NO');
    expect(checked.content).toContain('b: Do b');
    expect(await taskCheckTool.execute({}, harness().context)).toMatchObject({
      content: expect.stringContaining('No tasks found') as string,
      summary: { hasTasks: false, allCompleted: false },
      isError: false,
    });
  });

  it('check after all earlier changes', async () => {
    const { context, store } = harness([task('a')]);
    const slow = store.update(async state => {
      await new Promise(setImmediate);
      return { updates: { tasks: [{ ...(state['tasks'] as object[])[0], status: 'completed' }] }, result: undefined };
    });
    const checked = taskCheckTool.execute({}, context);
    await slow;
    expect(await checked).toMatchObject({ summary: { allCompleted: true } });
  });

  it('fail outside of a harness', async () => {
    const outside = { content: 'Unable to update task list (no harness context)', tasks: [], isError: true };
    expect(await taskWriteTool.execute({ tasks: [] }, {})).toEqual(outside);
    expect(await taskUpdateTool.execute({ id: 'a', status: 'pending' })).toEqual(outside);
    expect(await taskCheckTool.execute({}, {})).toMatchObject({
      content: 'Unable to access task list (no harness context)',
      tasks: [],
      incompleteTasks: [],
      isError: true,
    });
  });
});

describe('the built-in tools of a run', () => {
  it('are all but the disabled ones; those that ask resume after a restart and have no timeout', () => {
    const names = builtinTools(board, ['submit_plan', 'task_check']).map(({ name }) => name);
    expect(names).toEqual(['ask_user', 'task_write', 'task_update', 'task_complete']);
    for (const name of ['ask_user', 'submit_plan'])
      expect(toolNamed(name)).toMatchObject({ repeatable: true, timeoutMs: Number.POSITIVE_INFINITY });
  });
});

describe('user-defined tools', () => {
  it('may be harness tools with zod, JSON Schema or no schema, and loop tools', async () => {
    const seen: unknown[] = [];
    const requestContext = new RequestContext([['user', 'Ada']]);
    const execute = (input: unknown, context?: { requestContext?: { get(key: string): unknown } }) => {
      seen.push([input, context?.requestContext?.get('user')]);
      return { ok: true };
    };
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const native: Tool = { name: 'other', description: 'd', input: z.object({}), execute: () => 'native' };
    const tools = loopTools(
      {
        a: { id: 'ignored', description: 'A', inputSchema: z.object({ n: z.number() }), execute },
        b: { inputSchema: schema, execute },
        c: { execute },
        d: native,
      },
      requestContext,
    );
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['a', 'A'],
      ['b', 'b'],
      ['c', 'c'],
      ['d', 'd'],
    ]);
    const { context } = loop();
    expect(await tools[0]?.execute({ n: 1 }, context)).toEqual({ context: { ok: true }, result: { ok: true } });
    expect(await tools[3]?.execute({}, context)).toBe('native');
    expect(seen).toEqual([[{ n: 1 }, 'Ada']]);
    expect(await checkInput(tools[1] as Tool, { n: 'x' })).toMatchObject({
      problem: expect.stringContaining('n') as string,
    });
    expect(tools[1]?.inputJsonSchema).toEqual(schema);
  });
});

describe('the metadata line of a subagent', () => {
  it('is removed on parsing, and a text without one stays whole', () => {
    const meta = {
      modelId: 'p/m',
      durationMs: 1200,
      toolCalls: [
        { name: 'read', isError: false },
        { name: 'bash', isError: true },
      ],
    };
    expect(parseSubagentMeta(withSubagentMeta('Found it.\nHere.', meta))).toEqual({
      text: 'Found it.\nHere.',
      ...meta,
    });
    expect(parseSubagentMeta(withSubagentMeta('', { modelId: '', durationMs: 0, toolCalls: [] }))).toEqual({
      text: '',
      modelId: '',
      durationMs: 0,
      toolCalls: [],
    });
    expect(withSubagentMeta('x', meta)).toBe(
      'x\n<subagent-meta modelId="p/m" durationMs="1200" tools="read:ok,bash:err" />',
    );
    expect(parseSubagentMeta('plain')).toEqual({ text: 'plain' });
  });
});
