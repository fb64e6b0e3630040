import { describe, expect, it } from 'vitest';
import { checkOrder } from '../../src/events/index.ts';
import {
  type HarnessRequestContext,
  type HarnessSubagent,
  parseSubagentMeta,
  RequestContext,
  taskWriteTool,
} from '../../src/control/index.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { byTask, collaborator, fork, forking, forksOf, resultOf, stored } from './fork-scene.ts';
import { calls, sent, waitingTool } from './scene.ts';

describe('a forked subagent', () => {
  it('continues a copy of the conversation with the instructions, tools and model of its parent', async () => {
    const { harness, model, of, lines } = forking(
      byTask([[{ text: 'I will ask.' }, fork()], 'Done.'], { 'Try it.': [[calls('echo', { value: 'a' })], 'Tried.'] }),
    );
    await harness.sendMessage({ content: 'My name is Ada.' });
    const [parent, forked] = model.requests;
    expect(sent(model, 1)).toEqual([
      'system: Be brief.',
      'user: My name is Ada.',
      'assistant: I will ask.',
      'tool: ',
      'user: Try it.',
    ]);
    expect(forked?.toolResults.map(({ text }) => text)).toEqual([
      expect.stringContaining('You are the forked subagent of this call now.'),
    ]);
    expect(forked?.toolNames).toEqual(parent?.toolNames);
    expect(forked?.model).toBe(parent?.model);
    const about = { toolCallId: of('tool_start')[0]?.toolCallId, agentType: 'collaborator' };
    expect(of('subagent_start')).toEqual([
      { type: 'subagent_start', ...about, task: 'Try it.', modelId: 'scripted/scripted', forked: true },
    ]);
    expect(of('subagent_end')).toMatchObject([{ ...about, result: 'Tried.', isError: false }]);
    expect(lines().filter(text => /subagent|tool_(start|end)/.test(text))).toEqual([
      'tool_start sub',
      'subagent_start',
      'subagent_tool_start',
      'subagent_tool_end',
      'subagent_text_delta',
      'subagent_end',
      'tool_end sub',
    ]);
    const result = resultOf(of('tool_end'));
    expect(result.isError).toBe(false);
    expect(parseSubagentMeta(result.content)).toMatchObject({
      text: 'Tried.',
      modelId: 'scripted/scripted',
      toolCalls: [{ name: 'echo', isError: false }],
    });
    expect(JSON.stringify(model.requests)).not.toContain('subagent-meta');
  });

  it.each<[string, boolean | undefined, boolean | undefined, boolean]>([
    ['the type forks', true, undefined, true],
    ['the call forks', undefined, true, true],
    ['the call wins over a type that forks', true, false, false],
    ['neither forks', undefined, undefined, false],
  ])('is started when %s', async (_, ofType, ofCall, isForked) => {
    const { forked: _forked, stopWhen: _stop, ...type } = collaborator;
    const subagent: HarnessSubagent = { ...type, ...(ofType !== undefined && { forked: ofType }) };
    const call = fork('Try it.', ofCall === undefined ? {} : { forked: ofCall });
    const watched = forking(byTask([[call], 'Done.'], { 'Try it.': ['Tried.'] }), {
      subagents: [subagent],
      resolveModel: () => scriptedModel(['Fresh.']),
    });
    const { harness, of } = watched;
    await harness.sendMessage({ content: 'Go.' });
    expect(resultOf(of('tool_end')).content).toMatch(isForked ? /^Tried\./ : /^Fresh\./);
    expect(await forksOf(watched)).toHaveLength(isForked ? 1 : 0);
    expect(of('subagent_start').some(({ forked }) => forked === true)).toBe(isForked);
  });

  it('returns an error that the model can read when no memory is configured', async () => {
    const { harness, of } = forking(byTask([[fork()], 'Done.'], {}), { memory: undefined });
    await harness.sendMessage({ content: 'Go.' });
    expect(resultOf(of('tool_end'))).toEqual({
      content: expect.stringContaining('needs the `memory` of the harness') as string,
      isError: true,
    });
    expect(of('agent_end')).toMatchObject([{ reason: 'complete' }]);
  });

  it('cannot start another: the tool is offered, and its result is plain text', async () => {
    const { harness, model, of } = forking(
      byTask([[fork()], 'Done.'], { 'Try it.': [[fork('Deeper.', {}, 'deeper')], 'Tried.'] }),
    );
    await harness.sendMessage({ content: 'Go.' });
    expect(of('subagent_tool_end')).toMatchObject([
      {
        subToolName: 'subagent',
        isError: false,
        subToolResult: {
          content: 'The tool is unavailable inside a forked subagent: do the task yourself.',
          isError: false,
        },
      },
    ]);
    expect(model.requests.map(({ toolNames }) => toolNames.includes('subagent'))).toEqual([true, true, true, true]);
    expect(of('subagent_start')).toHaveLength(1);
  });

  it('runs in a thread of its own, which is tagged and listed only on request', async () => {
    const watched = forking(byTask([[fork()], 'Done.'], { 'Try it.': ['Tried.'] }), {
      idGenerator: (() => {
        let count = 0;
        return () => `id-${++count}`;
      })(),
    });
    const { harness } = watched;
    const { id: parentThreadId } = await harness.createThread({ title: 'Ours' });
    await harness.sendMessage({ content: 'Go.' });
    expect((await harness.listThreads()).map(({ id }) => id)).toEqual([parentThreadId]);
    expect((await harness.listThreads({ allResources: true })).map(({ id }) => id)).toEqual([parentThreadId]);
    const [forked] = await forksOf(watched);
    expect(forked).toMatchObject({
      id: expect.stringMatching(/^id-\d+$/) as string,
      title: 'Fork: Collaborator subagent',
      resourceId: 'harness',
      metadata: { forkedSubagent: true, parentThreadId },
    });
    expect(forked?.tokenUsage).toMatchObject({ promptTokens: 10 });
    const messages = await harness.listMessagesForThread({ threadId: forked?.id ?? '' });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    await harness.destroy();
  });

  it('writes nothing to the thread of its parent, byte for byte', async () => {
    const log = new MemoryLog();
    const { tool, begun, end } = waitingTool();
    const watched = forking(
      byTask([[fork()], 'Done.'], {
        'Try it.': [[calls('wait'), calls('task_write', { tasks: [] }), { text: 'Trying.' }], 'Tried.'],
      }),
      { storage: log, tools: { wait: tool } },
    );
    const { harness } = watched;
    const { id } = await harness.createThread();
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    const during = await stored(log, id);
    const thread = await log.getThread(id);
    end.open();
    await sending;
    const after = await stored(log, id);
    expect(after.slice(0, during.length)).toEqual(during);
    const added = after.slice(during.length).map(text => (JSON.parse(text) as { type: string }).type);
    expect(added).toEqual(['tool_result', 'step_start', 'text', 'usage', 'harness_end']);
    expect(thread?.seq).toBe(during.length);
    const [forked] = await forksOf(watched);
    const events = await log.read(forked?.id ?? '');
    expect(events.slice(0, during.length).map(event => JSON.stringify(event))).toEqual(during);
    expect(checkOrder(events)).toEqual([]);
  });

  it('is deleted with the thread of its parent', async () => {
    const watched = forking(byTask([[fork()], 'Done.'], { 'Try it.': ['Tried.'] }));
    const { harness } = watched;
    const { id: threadId } = await harness.createThread();
    await harness.sendMessage({ content: 'Go.' });
    expect(await forksOf(watched)).toHaveLength(1);
    await harness.memory.deleteThread({ threadId });
    expect(await harness.listThreads({ includeForkedSubagents: true })).toEqual([]);
  });

  it('has a task list of its own, which starts with that of its parent', async () => {
    const task = (id: string) => ({ id, content: id, status: 'pending', activeForm: id });
    const { harness, model } = forking(
      byTask([[calls('task_write', { tasks: [task('a')] })], [fork()], [calls('task_check')], 'Done.'], {
        'Try it.': [[calls('task_complete', { id: 'a' }), calls('task_check')], 'Tried.'],
      }),
    );
    await harness.sendMessage({ content: 'Go.' });
    const checks = model.requests.at(-1)?.toolResults.map(({ text }) => text) ?? [];
    expect(checks.at(-1)).toContain('All tasks completed: NO');
    const inFork = model.requests.findLast(({ lastUserText }) => lastUserText === 'Try it.')?.toolResults ?? [];
    expect(inFork.at(-1)?.text).toContain('All tasks completed: YES');
    expect(harness.getDisplayState().tasks).toMatchObject([{ id: 'a', status: 'pending' }]);
  });

  it('changes its own task list through the state, too, and shares the rest of the state', async () => {
    const task = (id: string) => ({ id, content: id, status: 'pending', activeForm: id });
    const states: unknown[] = [];
    const peek = {
      description: 'changes the state',
      execute: async (_: unknown, context?: { requestContext?: Pick<RequestContext, 'get'> }) => {
        const harness = context?.requestContext?.get('harness') as HarnessRequestContext;
        await harness.setState({ seen: true });
        states.push(harness.getState()['tasks']);
      },
    };
    const log = new MemoryLog();
    const watched = forking(
      byTask([[calls('task_write', { tasks: [task('a')] })], [fork()], 'Done.'], {
        'Try it.': [[calls('write', { tasks: [task('b')] })], [calls('peek')], 'Tried.'],
      }),
      { storage: log, tools: { write: taskWriteTool, peek } },
    );
    const { harness } = watched;
    const { id } = await harness.createThread();
    await harness.sendMessage({ content: 'Go.' });
    expect(states).toMatchObject([[{ id: 'b' }]]);
    expect(harness.getState()).toMatchObject({ seen: true, tasks: [{ id: 'a' }] });
    const tasksIn = async (threadId = '') => (await log.read(threadId)).filter(({ type }) => type === 'tasks').length;
    const [forked] = await forksOf(watched);
    expect([await tasksIn(id), await tasksIn(forked?.id)]).toEqual([1, 2]);
  });

  it('gives its tools a copy of the request context that names the fork', async () => {
    const seen: (string | null | undefined)[] = [];
    const place = {
      description: 'shows where it is',
      execute: (_: unknown, context?: { requestContext?: Pick<RequestContext, 'get'> }) => {
        const harness = context?.requestContext?.get('harness') as { threadId: string | null };
        seen.push(harness.threadId, context?.requestContext?.get('user') as string);
        return 'seen';
      },
    };
    const watched = forking(
      byTask([[calls('place', {}, 'p1')], [fork()], [calls('place', {}, 'p2')], 'Done.'], {
        'Try it.': [[calls('place', {}, 'p3')], 'Tried.'],
      }),
      { tools: { place } },
    );
    const { harness } = watched;
    const { id } = await harness.createThread();
    await harness.sendMessage({ content: 'Go.', requestContext: new RequestContext([['user', 'ada']]) });
    const [forked] = await forksOf(watched);
    expect(seen).toEqual([id, 'ada', forked?.id, 'ada', id, 'ada']);
  });

  it('takes as many steps as its parent may', async () => {
    const again = (id: string) => [calls('echo', { value: id }, id)];
    const { harness, model } = forking(
      byTask([[fork()], 'Done.'], { 'Try it.': [again('a'), again('b'), 'Concluded.'] }),
      { agent: { maxIterations: 2 } },
    );
    await harness.sendMessage({ content: 'Go.' });
    const inFork = model.requests.filter(({ lastUserText }) => lastUserText === 'Try it.');
    expect(inFork.map(({ toolNames }) => toolNames.length > 0)).toEqual([true, true, false]);
  });

  it('asks the person, in the open thread, and is answered in its own', async () => {
    const watched = forking(
      byTask([[fork()], 'Done.'], {
        'Try it.': [[calls('echo', { value: 'a' }), calls('ask_user', { question: 'Which?' })], 'Tried.'],
      }),
      { initialState: {} },
    );
    const { harness, on, of } = watched;
    harness.grantSessionTool({ toolName: 'subagent' });
    harness.grantSessionTool({ toolName: 'ask_user' });
    const sending = harness.sendMessage({ content: 'Go.' });
    expect(await on('tool_approval_required')).toMatchObject({ toolName: 'echo', args: { value: 'a' } });
    const { questionId } = await on('ask_question');
    expect(harness.getDisplayState()).toMatchObject({
      pendingApproval: { toolName: 'echo' },
      pendingQuestion: { questionId },
    });
    harness.respondToToolApproval({ decision: 'approve' });
    harness.respondToQuestion({ questionId, answer: 'This.' });
    await sending;
    expect(of('subagent_tool_end').map(({ subToolName, isError }) => [subToolName, isError])).toEqual(
      expect.arrayContaining([
        ['echo', false],
        ['ask_user', false],
      ]),
    );
    expect(harness.getDisplayState()).toMatchObject({ pendingApproval: null, pendingQuestion: null });
    expect(() => harness.respondToQuestion({ questionId, answer: 'Again.' })).toThrow('already answered');
  });

  it('runs beside others, each on its own branch', async () => {
    const watched = forking(
      byTask([[fork('One.', {}, 'one'), fork('Two.', {}, 'two'), fork('Three.', {}, 'three')], 'Done.'], {
        'One.': [[calls('echo', { value: '1' })], 'First.'],
        'Two.': [[calls('echo', { value: '2' })], 'Second.'],
        'Three.': [{ httpStatus: 400, message: 'broken' }],
      }),
    );
    const { harness, of, model } = watched;
    await harness.sendMessage({ content: 'Go.' });
    const results = new Map(of('tool_end').map(({ toolCallId, result }) => [toolCallId.split('/')[1], result]));
    expect(results.get('one')).toMatchObject({ content: expect.stringMatching(/^First\./) as string, isError: false });
    expect(results.get('two')).toMatchObject({ content: expect.stringMatching(/^Second\./) as string, isError: false });
    expect(results.get('three')).toMatchObject({ content: expect.stringContaining('broken') as string, isError: true });
    expect(await forksOf(watched)).toHaveLength(3);
    const own = model.requests.filter(({ lastUserText }) => lastUserText === 'Two.');
    expect(own.every(({ messages }) => messages.every(({ text }) => text !== 'One.'))).toBe(true);
    expect(of('agent_end')).toMatchObject([{ reason: 'complete' }]);
  });

  it('ends with its parent when that is aborted, and before it', async () => {
    const { tool, begun } = waitingTool();
    const log = new MemoryLog();
    const watched = forking(byTask([[fork()], 'Done.'], { 'Try it.': [[calls('wait')], 'Tried.'] }), {
      storage: log,
      tools: { wait: tool },
    });
    const { harness, of, lines } = watched;
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    harness.abort();
    await sending;
    expect(of('subagent_end')).toMatchObject([{ result: '[Aborted by user]', isError: false }]);
    expect(lines().slice(-3)).toContain('agent_end aborted');
    expect(lines().indexOf('subagent_end')).toBeLessThan(lines().indexOf('agent_end aborted'));
    const [forked] = await forksOf(watched);
    const events = await log.read(forked?.id ?? '');
    expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'aborted' });
    expect((await log.getThread(forked?.id ?? ''))?.open).toBeUndefined();
  });
});
