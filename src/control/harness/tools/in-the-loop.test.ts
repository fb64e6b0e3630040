import { describe, expect, it } from 'vitest';
import { loopAgent } from '../../../agents/loop/loop-agent.ts';
import { scriptedModel } from '../../../agents/model/scripted/scripted-model.ts';
import { MemoryLog } from '../../../log/memory-log.ts';
import { Supervisor } from '../../supervision/supervisor.ts';
import { foldHarness } from '../projection/project-harness.ts';
import { TaskBoard } from '../../../agents/tasks/task-board.ts';
import { builtinTools } from './builtin-tools.ts';

const call = (name: string, input: unknown) => ({ toolCall: { id: name, name, input } });
const todo = { content: 'Run tests', status: 'in_progress', activeForm: 'Running tests' };

describe('the built-in tools in a run', () => {
  it('ask through the log, wait for the answer, and store the tasks in the log', async () => {
    const log = new MemoryLog();
    const supervisor = new Supervisor({ log });
    const { id: threadId } = await log.createThread({});
    const board = new TaskBoard();
    const agent = loopAgent({
      model: scriptedModel([
        [call('ask_user', { question: 'Which?', options: [{ label: 'A' }] })],
        [call('submit_plan', { plan: '1. Test' })],
        [call('task_write', { tasks: [todo] })],
        'Done.',
      ]),
      tools: builtinTools(board),
      permissions: { default: 'allow', rules: [] },
    });
    const run = await supervisor.start(threadId, { agent, content: 'Go.' });
    const answers = { question: { outcome: 'answer', answer: 'A' }, plan: { outcome: 'approve' } } as const;
    const stop = new AbortController();
    const answering = (async () => {
      for await (const event of log.tail(threadId, 0, { signal: stop.signal }))
        if (event.type === 'relay' && (event.relayKind === 'question' || event.relayKind === 'plan'))
          await supervisor.answer(threadId, event.id, answers[event.relayKind]);
    })().catch(() => {});
    expect(await run.done).toBe('complete');
    stop.abort();
    await answering;
    const { state, events } = foldHarness(await log.read(threadId, { after: 0, limit: 1000 }));
    expect(state.tasks).toEqual([{ id: 'task_run_tests', ...todo }]);
    expect(board.tasks).toEqual(state.tasks);
    const results = events.flatMap(event => (event.type === 'tool_end' ? [event.result] : []));
    expect(results).toMatchObject([
      { content: 'User answered: A', isError: false },
      { content: expect.stringContaining('Plan approved') as string, isError: false },
      { isError: false, tasks: [{ id: 'task_run_tests' }] },
    ]);
    const asked = ['ask_question', 'plan_approval_required', 'plan_approved', 'task_updated', 'relay_settled'];
    expect(events.map(({ type }) => type).filter(type => asked.includes(type))).toEqual([
      'ask_question',
      'relay_settled',
      'plan_approval_required',
      'relay_settled',
      'plan_approved',
      'task_updated',
    ]);
    await supervisor.close();
  });
});
