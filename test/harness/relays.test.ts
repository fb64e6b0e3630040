import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/agents/tool-definition/define-tool.ts';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import {
  askUserTool,
  Harness,
  type HarnessMessage,
  submitPlanTool,
  type ToolCategory,
} from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import * as z from 'zod';
import { calls, echo, gate, scene, sent, watch, yolo } from './scene.ts';

const results = (events: readonly { result: unknown }[]) => events.map(({ result }) => result);
const contents = (events: readonly { result: unknown }[]) =>
  events.map(({ result }) => (result as { content: string }).content);

describe('a call that needs approval', () => {
  it.each([
    ['approve', 'a!'],
    ['decline', 'Tool call was not approved by the user'],
  ] as const)('waits until a person decides: %s', async (decision, result) => {
    const { harness, on, of, lines } = scene([[calls('echo', { value: 'a' })], 'Done.'], { tools: { echo } });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { toolCallId, toolName, args } = await on('tool_approval_required');
    expect([toolName, args]).toEqual(['echo', { value: 'a' }]);
    expect(harness.getDisplayState().pendingApproval).toEqual({ toolCallId, toolName, args });
    harness.respondToToolApproval({ decision });
    await sending;
    expect(of('tool_end')).toMatchObject([{ toolCallId, result, isError: false }]);
    expect(lines().filter(text => text.includes('echo'))).toEqual([
      'tool_input_start echo',
      'tool_input_delta echo',
      'tool_input_end echo',
      'tool_start echo',
      'tool_approval_required echo',
      'tool_end echo',
    ]);
  });

  it('may be revised, and declined with feedback for the model', async () => {
    const { harness, on, of, model } = scene(
      [[calls('echo', { value: 'a' }, 'one')], [calls('echo', { value: 'b' }, 'two')], 'Done.'],
      { tools: { echo } },
    );
    const sending = harness.sendMessage({ content: 'Go.' });
    await on('tool_approval_required');
    harness.respondToToolApproval({ decision: 'revise', input: { value: 'better' } });
    await on('tool_approval_required', 2);
    harness.respondToToolApproval({ decision: 'decline', feedback: 'enough' });
    await sending;
    expect(results(of('tool_end'))).toEqual(['better!', 'Tool call was not approved by the user']);
    expect(JSON.stringify(model.requests.at(-1))).toContain('enough');
  });

  it('is shown with the input it ran with; only a successful call changes a file', async () => {
    const write_file = { description: 'writes', execute: () => 'ok' };
    const paths = ['wrong', 'secret', 'denied'];
    const { harness, on, of } = scene([...paths.map(path => [calls('write_file', { path }, path)]), 'Done.'], {
      tools: { write_file },
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { toolCallId } = await on('tool_approval_required');
    const asked = harness.getDisplayState().currentMessage;
    harness.respondToToolApproval({ decision: 'revise', input: { path: 'right' } });
    await on('tool_approval_required', 2);
    harness.respondToToolApproval({ decision: 'decline' });
    await on('tool_approval_required', 3);
    harness.setPermissionForTool({ toolName: 'write_file', policy: 'deny' });
    harness.respondToToolApproval({ decision: 'approve' });
    await sending;
    expect(of('tool_end').map(({ isError }) => isError)).toEqual([false, false, false]);
    const { modifiedFiles, activeTools } = harness.getDisplayState();
    expect([...modifiedFiles.keys()]).toEqual(['right']);
    expect(activeTools.get(toolCallId)).toMatchObject({ args: { path: 'right' } });
    const args = (message: HarnessMessage | null | undefined) =>
      message?.content.flatMap(part => (part.type === 'tool_call' ? [part.args] : []));
    expect(args((await harness.listMessages()).at(-1))).toEqual([
      { path: 'right' },
      { path: 'secret' },
      { path: 'denied' },
    ]);
    expect(args(asked)).toEqual([{ path: 'wrong' }]);
  });

  it('beside others is decided by its id, in any order; the display shows the oldest', async () => {
    const two = [calls('echo', { value: 'a' }, 'one'), calls('echo', { value: 'b' }, 'two')];
    const { harness, on, of } = scene([two, 'Done.'], { tools: { echo } });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { toolCallId: first } = await on('tool_approval_required');
    const second = first.replace('one', 'two');
    await expect.poll(() => answerable(harness, second)).toBe(true);
    expect(harness.getDisplayState().pendingApproval?.toolCallId).toBe(first);
    harness.respondToToolApproval({ decision: 'approve', toolCallId: first });
    await sending;
    expect(of('tool_approval_required')).toHaveLength(1);
    expect(results(of('tool_end')).map(String).toSorted()).toEqual(['a!', 'b!']);

    /** Answers the second as soon as it waits. */
    function answerable(of: Harness, toolCallId: string): boolean {
      try {
        of.respondToToolApproval({ decision: 'approve', toolCallId });
        return true;
      } catch {
        return false;
      }
    }
  });

  it('is approved with its whole category, and so are the other pending calls of it', async () => {
    const three = ['a', 'b', 'c'].map(value => calls('echo', { value }, value));
    const toolCategoryResolver = (): ToolCategory => 'read';
    const { harness, of, on } = scene([three, [calls('echo', { value: 'd' }, 'd')], 'Done.'], {
      tools: { echo },
      toolCategoryResolver,
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    await on('tool_approval_required');
    harness.respondToToolApproval({ decision: 'always_allow_category' });
    await sending;
    expect(results(of('tool_end')).map(String).toSorted()).toEqual(['a!', 'b!', 'c!', 'd!']);
    expect([...harness.getSessionGrants().categories]).toEqual(['read']);
    expect(of('tool_approval_required')).toHaveLength(1);
  });

  it.each([
    ['once', ['echo', 'echo', 'shout', 'echo']],
    ['thread', ['echo', 'shout', 'echo']],
    ['category', ['echo', 'echo']],
  ] as const)('is approved with what `remember: %s` includes, in its thread only', async (remember, asked) => {
    const turn = [
      [calls('echo', { value: 'a' }, 'one')],
      [calls('echo', { value: 'b' }, 'two')],
      [calls('shout', { value: 'c' }, 'three')],
      'Done.',
    ];
    const { harness, of } = scene([...turn, [calls('echo', { value: 'd' }, 'four')], 'Done.'], {
      tools: { echo: { ...echo, category: 'edit' }, shout: { ...echo, category: 'edit' } },
    });
    harness.subscribe(({ type }) => {
      if (type === 'tool_approval_required') harness.respondToToolApproval({ decision: 'approve', remember });
    });
    await harness.sendMessage({ content: 'Go.' });
    await harness.createThread();
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_approval_required').map(({ toolName }) => toolName)).toEqual(asked);
    expect(results(of('tool_end'))).toEqual(['a!', 'b!', 'c!', 'd!']);
  });

  it.each<[string, (harness: Harness) => unknown]>([
    ['the tool is granted', harness => harness.grantSessionTool({ toolName: 'echo' })],
    ['the category is granted', harness => harness.grantSessionCategory({ category: 'read' })],
    ['the tool is allowed', harness => harness.setPermissionForTool({ toolName: 'echo', policy: 'allow' })],
    ['the category is allowed', harness => harness.setPermissionForCategory({ category: 'read', policy: 'allow' })],
    ['all is allowed', harness => harness.setState({ yolo: true })],
  ])('is released, and so are those behind it, which nobody is asked about: when %s', async (_, allow) => {
    const three = ['a', 'b', 'c'].map(value => calls('echo', { value }, value));
    const toolCategoryResolver = (): ToolCategory => 'read';
    for (const approves of [false, true]) {
      const { harness, of } = scene([three, 'Done.'], { tools: { echo }, toolCategoryResolver });
      harness.subscribe(({ type }) => {
        if (type !== 'tool_approval_required') return;
        void allow(harness);
        if (approves) harness.respondToToolApproval({ decision: 'approve' });
      });
      await harness.sendMessage({ content: 'Go.' });
      expect(results(of('tool_end')).map(String).toSorted()).toEqual(['a!', 'b!', 'c!']);
      expect([of('tool_approval_required').length, of('error')]).toEqual([1, []]);
    }
  });

  it('of a tool that is not allowed stays pending behind one that is', async () => {
    const three = [
      calls('echo', { value: 'a' }, 'a'),
      calls('echo', { value: 'b' }, 'b'),
      calls('other', { value: 'c' }, 'c'),
    ];
    const { harness, of } = scene([three, 'Done.'], { tools: { echo, other: echo } });
    harness.subscribe(event => {
      if (event.type !== 'tool_approval_required') return;
      if (event.toolName === 'echo') harness.grantSessionTool({ toolName: 'echo' });
      harness.respondToToolApproval({ decision: 'approve' });
    });
    await harness.sendMessage({ content: 'Go.' });
    expect(results(of('tool_end')).map(String).toSorted()).toEqual(['a!', 'b!', 'c!']);
    expect(of('tool_approval_required').map(({ toolName }) => toolName)).toEqual(['echo', 'other']);
  });

  it('that was approved is emitted again when the approval could not be stored', async () => {
    const failing = gate();
    let answers = 0;
    class FailingLog extends MemoryLog {
      override async append(...given: Parameters<MemoryLog['append']>) {
        if (!given[1].some(({ type }) => type === 'relay_resolved') || ++answers !== 2) return super.append(...given);
        await failing.opened;
        throw new Error('disk full');
      }
    }
    const two = [calls('echo', { value: 'a' }, 'one'), calls('echo', { value: 'b' }, 'two')];
    const { harness, on, of } = scene([two, 'Done.'], { tools: { echo }, storage: new FailingLog() });
    const sending = harness.sendMessage({ content: 'Go.' });
    await on('tool_approval_required');
    harness.grantSessionTool({ toolName: 'echo' });
    await expect.poll(() => harness.getDisplayState().pendingApproval).toBe(null);
    failing.open();
    await on('tool_approval_required', 2);
    harness.respondToToolApproval({ decision: 'approve' });
    await sending;
    expect(of('error').map(({ error }) => error.message)).toEqual(['disk full']);
    expect(results(of('tool_end')).map(String).toSorted()).toEqual(['a!', 'b!']);
  });

  it('is answered once: a second answer and an unknown one are rejected', async () => {
    const { harness, on } = scene([[calls('echo', { value: 'a' })], 'Done.'], { tools: { echo } });
    expect(() => harness.respondToToolApproval({ decision: 'approve' })).toThrow(
      expect.objectContaining({ code: 'relay_not_found' }) as Error,
    );
    const sending = harness.sendMessage({ content: 'Go.' });
    const { toolCallId } = await on('tool_approval_required');
    harness.respondToToolApproval({ decision: 'decline', toolCallId });
    const again = () => harness.respondToToolApproval({ decision: 'approve', toolCallId });
    expect(again).toThrow(expect.objectContaining({ code: 'relay_resolved' }) as Error);
    await sending;
    expect(again).toThrow(expect.objectContaining({ code: 'relay_resolved' }) as Error);
  });

  it.each(['Approve', 'deny', 'no', '', undefined, false])('rejects an unknown decision: %s', async decision => {
    const { harness, on, of } = scene([[calls('echo', { value: 'a' })], 'Done.'], { tools: { echo } });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { type: _, ...asked } = await on('tool_approval_required');
    expect(() => harness.respondToToolApproval({ decision } as never)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringContaining('"approve"|"decline"') as string,
      }) as Error,
    );
    expect(harness.getDisplayState().pendingApproval).toEqual(asked);
    harness.respondToToolApproval({ decision: 'decline' });
    await sending;
    expect(results(of('tool_end'))).toEqual(['Tool call was not approved by the user']);
  });

  it('passes more context to its tools', async () => {
    const { RequestContext } = await import('../../src/control/index.ts');
    const tool = {
      description: 'tells who asks',
      execute: (_: unknown, context?: { requestContext?: { get(key: string): unknown } }) => [
        context?.requestContext?.get('who'),
        context?.requestContext?.get('more'),
      ],
    };
    const { harness, of } = scene([[calls('who')], 'Done.'], { tools: { who: tool } });
    harness.subscribe(({ type }) => {
      if (type !== 'tool_approval_required') return;
      harness.respondToToolApproval({ decision: 'approve', requestContext: new RequestContext([['more', 1]]) });
    });
    await harness.sendMessage({ content: 'Go.', requestContext: new RequestContext([['who', 'me']]) });
    expect(results(of('tool_end'))).toEqual([['me', 1]]);
  });
});

describe('a question', () => {
  const options = [{ label: 'A' }, { label: 'B', description: 'the second' }, { label: 'C' }];
  it.each([
    ['free text', {}, undefined, 'blue', 'User answered: blue'],
    ['one of several', { options }, 'single_select', 'A', 'User answered: A'],
    ['some of several', { options, selectionMode: 'multi_select' }, 'multi_select', ['A', 'C'], 'User answered: A, C'],
  ])('is answered: %s', async (_, more, selectionMode, answer, content) => {
    const { harness, on, of } = scene([[calls('ask_user', { question: 'Which?', ...more })], 'Done.'], yolo);
    const sending = harness.sendMessage({ content: 'Go.' });
    const { type: _type, ...asked } = await on('ask_question');
    expect(asked).toEqual({
      questionId: asked.questionId,
      question: 'Which?',
      ...('options' in more && { options, selectionMode }),
    });
    expect(harness.getDisplayState().pendingQuestion).toEqual(asked);
    harness.respondToQuestion({ questionId: asked.questionId, answer });
    await sending;
    expect(of('tool_end')).toMatchObject([{ isError: false, result: { content, isError: false } }]);
    expect(harness.getDisplayState().pendingQuestion).toBe(null);
    expect(() => harness.respondToQuestion({ questionId: asked.questionId, answer })).toThrow(
      expect.objectContaining({ code: 'relay_resolved' }) as Error,
    );
    expect(() => harness.respondToQuestion({ questionId: 'other', answer })).toThrow(
      expect.objectContaining({ code: 'relay_not_found' }) as Error,
    );
  });

  it('of a user-defined tool reaches the person through the request context', async () => {
    const { harness, of, on } = scene([[calls('ask', { question: 'Why?' })], 'Done.'], {
      tools: { ask: askUserTool as never },
      ...yolo,
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { questionId } = await on('ask_question');
    harness.respondToQuestion({ questionId, answer: 'because' });
    await sending;
    expect(contents(of('tool_end'))).toEqual(['User answered: because']);
  });

  it('may be registered by a program', () => {
    const { harness } = scene([]);
    const answers: unknown[] = [];
    harness.registerQuestion({ questionId: 'q', resolve: answer => answers.push(answer) });
    harness.respondToQuestion({ questionId: 'q', answer: 'yes' });
    expect(answers).toEqual(['yes']);
  });
});

describe('a request for access', () => {
  const asking = defineTool({
    name: 'reach',
    description: 'asks for access',
    input: z.object({}),
    execute: async (_, { ask }) =>
      (await ask({ relayKind: 'access', params: { path: '/etc', reason: 'to read' } }))?.outcome,
  });

  it.each([
    ['Yes', 'approve'],
    ['No', 'reject'],
  ])('is answered like a question: %s', async (answer, outcome) => {
    const { harness, of, on } = scene([[calls('reach')], 'Done.'], { tools: { reach: asking }, ...yolo });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { questionId, path, reason } = await on('sandbox_access_request');
    expect([path, reason]).toEqual(['/etc', 'to read']);
    harness.respondToQuestion({ questionId, answer });
    await sending;
    expect(results(of('tool_end'))).toEqual([outcome]);
  });
});

describe('a tool that waits for data', () => {
  it('continues with the data', async () => {
    const suspended = defineTool({
      name: 'pay',
      description: 'waits for a code',
      input: z.object({ sum: z.number() }),
      execute: async (_, { ask }) => {
        const answer = await ask({ relayKind: 'suspension', tool: 'pay', payload: { need: 'code' } });
        return { context: answer?.input };
      },
    });
    const { harness, of, on } = scene([[calls('pay', { sum: 3 })], 'Done.'], { tools: { pay: suspended }, ...yolo });
    const sending = harness.sendMessage({ content: 'Go.' });
    expect(await on('tool_suspended')).toMatchObject({
      toolName: 'pay',
      args: { sum: 3 },
      suspendPayload: { need: 'code' },
    });
    expect(harness.getDisplayState().pendingSuspension).toMatchObject({ toolName: 'pay' });
    await harness.respondToToolSuspension({ resumeData: { code: 7 } });
    await sending;
    await on('agent_end', 2);
    expect(results(of('tool_end'))).toEqual([{ code: 7 }]);
    await expect(harness.respondToToolSuspension({ resumeData: 1 })).rejects.toMatchObject({ code: 'relay_not_found' });
  });
});

describe('a plan', () => {
  const plan = calls('submit_plan', { title: 'The plan', plan: '1. Do it' });

  function planning() {
    const planner = scriptedModel([[plan], 'Revised.']);
    const builder = scriptedModel(['Built.']);
    const harness = new Harness({
      id: 'h',
      initialState: { yolo: true },
      modes: [
        { id: 'build', default: true, agent: loopAgent({ id: 'builder', model: builder }) },
        { id: 'plan', agent: loopAgent({ id: 'planner', model: planner }) },
      ],
    });
    return { ...watch(harness), planner, builder };
  }

  it('that is approved ends its run after the step, and switches to the default mode', async () => {
    const { harness, on, of, lines, planner, builder } = planning();
    await harness.switchMode({ modeId: 'plan' });
    const sending = harness.sendMessage({ content: 'Plan it.' });
    const { planId, title, plan: text } = await on('plan_approval_required');
    expect([title, text]).toEqual(['The plan', '1. Do it']);
    expect(harness.getDisplayState().pendingPlanApproval).toEqual({ planId, title, plan: text });
    await harness.respondToPlanApproval({ planId, response: { action: 'approved' } });
    await sending;
    expect(harness.getCurrentModeId()).toBe('build');
    expect(planner.requests).toHaveLength(1);
    expect(lines().slice(-7)).toEqual([
      'plan_approved',
      'tool_end submit_plan',
      'message_update assistant tool_use',
      'usage_update',
      'message_end assistant complete',
      'agent_end complete',
      'mode_changed',
    ]);
    expect(contents(of('tool_end'))[0]).toContain('Plan approved');
    await harness.sendMessage({ content: 'Go.' });
    expect(sent(builder)).toEqual(['user: Plan it.', 'assistant: ', 'tool: ', 'user: Go.']);
  });

  it('that is rejected returns to the agent with the feedback', async () => {
    const { harness, on, of, planner } = planning();
    await harness.switchMode({ modeId: 'plan' });
    const sending = harness.sendMessage({ content: 'Plan it.' });
    const { planId } = await on('plan_approval_required');
    await harness.respondToPlanApproval({ planId, response: { action: 'rejected', feedback: 'Needs tests' } });
    await sending;
    expect(contents(of('tool_end'))[0]).toContain('User feedback: Needs tests');
    expect(harness.getCurrentModeId()).toBe('plan');
    expect(of('plan_approved')).toEqual([]);
    expect(planner.requests).toHaveLength(2);
    await expect(harness.respondToPlanApproval({ planId, response: { action: 'approved' } })).rejects.toMatchObject({
      code: 'relay_resolved',
    });
    await expect(
      harness.respondToPlanApproval({ planId: 'other', response: { action: 'approved' } }),
    ).rejects.toMatchObject({ code: 'relay_not_found' });
  });

  it.each([{ action: 'approve' }, { action: 'reject' }, {}, undefined])(
    'rejects an unknown action: %j',
    async response => {
      const { harness, on } = planning();
      await harness.switchMode({ modeId: 'plan' });
      const sending = harness.sendMessage({ content: 'Plan it.' });
      const { type: _, ...asked } = await on('plan_approval_required');
      await expect(harness.respondToPlanApproval({ planId: asked.planId, response } as never)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('`response') as string,
      });
      expect(harness.getDisplayState().pendingPlanApproval).toEqual(asked);
      await harness.respondToPlanApproval({ planId: asked.planId, response: { action: 'rejected' } });
      await sending;
    },
  );

  it('that is approved in the default mode continues there; queued input is sent in the new mode', async () => {
    const { harness, on, builder } = planning();
    await harness.switchMode({ modeId: 'plan' });
    const sending = harness.sendMessage({ content: 'Plan it.' });
    const { planId } = await on('plan_approval_required');
    await harness.followUp({ content: 'Then build.' });
    await harness.respondToPlanApproval({ planId, response: { action: 'approved' } });
    await sending;
    await on('agent_end', 2);
    expect(sent(builder).at(-1)).toBe('user: Then build.');

    const same = scene([[plan], 'Done.'], yolo);
    const run = same.harness.sendMessage({ content: 'Plan it.' });
    const asked = await same.on('plan_approval_required');
    await same.harness.respondToPlanApproval({ planId: asked.planId, response: { action: 'approved' } });
    await run;
    expect(same.model.requests).toHaveLength(2);
  });

  it('of a user-defined tool, or of a program, is decided, too', async () => {
    const { harness, of, on } = scene([[calls('propose', { plan: 'Do it' })], 'Done.'], {
      tools: { propose: submitPlanTool as never },
      ...yolo,
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { planId } = await on('plan_approval_required');
    await harness.respondToPlanApproval({ planId, response: { action: 'approved' } });
    await sending;
    expect(contents(of('tool_end'))[0]).toContain('Plan approved');
    expect(of('plan_approved')).toHaveLength(1);
    const decided: unknown[] = [];
    harness.registerPlanApproval({ planId: 'p', resolve: response => decided.push(response) });
    await harness.respondToPlanApproval({ planId: 'p', response: { action: 'rejected' } });
    expect(decided).toEqual([{ action: 'rejected' }]);
  });
});
