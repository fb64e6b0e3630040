import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../src/agents/tool-definition/define-tool.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import type { PermissionRuleSet } from '../../src/agents/index.ts';
import { askUserTool, type PermissionPolicy, taskWriteTool, type ToolCategory } from '../../src/control/index.ts';
import { calls, echo, scene, type SceneOptions, yolo } from './scene.ts';

const categories: Record<string, ToolCategory> = { echo: 'read' };
const toolCategoryResolver = (name: string) => categories[name] ?? null;

/** What happens to a call of `echo`: it runs, is asked about, or is denied. */
async function outcome(set: (harness: ReturnType<typeof scene>['harness']) => unknown, options: SceneOptions = {}) {
  const { harness, of, model } = scene([[calls('echo', { value: 'a' })], 'Done.'], {
    tools: { echo },
    toolCategoryResolver,
    ...options,
  });
  await set(harness);
  harness.subscribe(({ type }) => {
    if (type === 'tool_approval_required') harness.respondToToolApproval({ decision: 'decline' });
  });
  await harness.sendMessage({ content: 'Go.' });
  const [end] = of('tool_end');
  const offered = (model.requests[0]?.toolNames ?? []).includes('echo');
  if (of('tool_approval_required').length > 0) return 'ask';
  if (end?.result === 'a!') return 'allow';
  return offered ? 'deny' : 'hidden';
}

describe('permissions', () => {
  it.each([
    ['built in', {}],
    ['standalone', { tools: { task_write: taskWriteTool, ask_user: askUserTool } }],
  ])('are not asked for before a question, a plan and a task list, %s', async (_, options) => {
    const script = [
      [calls('task_write', { tasks: [] })],
      [calls('ask_user', { question: 'Why?' })],
      [calls('submit_plan', { plan: 'Do it' })],
      'Done.',
    ];
    const { harness, of } = scene(script, options);
    harness.setPermissionForCategory({ category: 'other', policy: 'ask' });
    harness.subscribe(event => {
      if (event.type === 'ask_question')
        harness.respondToQuestion({ questionId: event.questionId, answer: 'Because.' });
      if (event.type === 'plan_approval_required')
        void harness.respondToPlanApproval({ planId: event.planId, response: { action: 'rejected' } });
    });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_approval_required')).toEqual([]);
    expect(of('tool_end').map(({ isError }) => isError)).toEqual([false, false, false]);
  });

  it.each<[string, (harness: ReturnType<typeof scene>['harness']) => unknown, PermissionPolicy | 'hidden']>([
    ['nothing is set', () => {}, 'ask'],
    ['yolo', harness => harness.setState({ yolo: true }), 'allow'],
    ['the tool is granted', harness => harness.grantSessionTool({ toolName: 'echo' }), 'allow'],
    ['its category is granted', harness => harness.grantSessionCategory({ category: 'read' }), 'allow'],
    ['another category is granted', harness => harness.grantSessionCategory({ category: 'edit' }), 'ask'],
    [
      'its category is allowed',
      harness => harness.setPermissionForCategory({ category: 'read', policy: 'allow' }),
      'allow',
    ],
    [
      'its category is denied',
      harness => harness.setPermissionForCategory({ category: 'read', policy: 'deny' }),
      'deny',
    ],
    ['the tool is denied', harness => harness.setPermissionForTool({ toolName: 'echo', policy: 'deny' }), 'hidden'],
    [
      'the tool is denied, with yolo',
      async harness => {
        harness.setPermissionForTool({ toolName: 'echo', policy: 'deny' });
        await harness.setState({ yolo: true });
      },
      'hidden',
    ],
    [
      'the tool is asked about, and granted',
      harness => {
        harness.setPermissionForTool({ toolName: 'echo', policy: 'ask' });
        harness.grantSessionTool({ toolName: 'echo' });
      },
      'ask',
    ],
    [
      'its category is denied, and granted',
      harness => {
        harness.setPermissionForCategory({ category: 'read', policy: 'deny' });
        harness.grantSessionCategory({ category: 'read' });
      },
      'allow',
    ],
    [
      'its category is denied, with yolo',
      async harness => {
        harness.setPermissionForCategory({ category: 'read', policy: 'deny' });
        await harness.setState({ yolo: true });
      },
      'allow',
    ],
  ])('when %s', async (_, set, expected) => {
    expect(await outcome(set)).toBe(expected);
  });

  it('apply to the tools of the agent and to built-in ones', async () => {
    const { harness, on, of } = scene([[calls('task_check')], 'Done.']);
    harness.setPermissionForTool({ toolName: 'task_check', policy: 'ask' });
    const sending = harness.sendMessage({ content: 'Go.' });
    expect(await on('tool_approval_required')).toMatchObject({ toolName: 'task_check' });
    harness.respondToToolApproval({ decision: 'approve' });
    await sending;
    expect(of('tool_end')).toMatchObject([{ result: { content: expect.stringContaining('No tasks') as string } }]);
  });

  it('that deny a tool by name hide it from the model, whatever its origin', async () => {
    const shout = defineTool({
      name: 'shout',
      description: 'says it louder',
      input: z.object({}),
      execute: () => 'LOUD',
    });
    const child = scriptedModel([[calls('shout')], [calls('echo', { value: 'a' })], 'Ok.']);
    const { harness, model, of } = scene(
      [[calls('shout')], [calls('subagent', { agentType: 'helper', task: 'Help.' })], 'Done.'],
      {
        agent: { tools: [shout] },
        tools: { echo },
        subagents: [
          {
            id: 'helper',
            name: 'Helper',
            description: 'helps',
            instructions: 'Help.',
            tools: { shout, own: echo },
            allowedHarnessTools: ['echo'],
            defaultModelId: 'a/small',
          },
        ],
        resolveModel: () => child,
        ...yolo,
      },
    );
    harness.setPermissionForTool({ toolName: 'shout', policy: 'deny' });
    harness.setPermissionForTool({ toolName: 'echo', policy: 'deny' });
    await harness.sendMessage({ content: 'Go.' });
    const offered = [...model.requests, ...child.requests].flatMap(({ toolNames }) => toolNames);
    expect(offered).not.toContain('shout');
    expect(offered).not.toContain('echo');
    expect(child.requests[0]?.toolNames).toEqual(['own']);
    expect(of('tool_end')[0]).toMatchObject({ isError: true, result: expect.stringContaining('no tool "shout"') });
    expect(of('subagent_tool_end').map(({ isError }) => isError)).toEqual([true, true]);
  });

  it('can be read', () => {
    const { harness } = scene([], { toolCategoryResolver });
    expect(harness.getPermissionRules()).toEqual({ categories: {}, tools: {} });
    harness.setPermissionForCategory({ category: 'execute', policy: 'ask' });
    harness.setPermissionForTool({ toolName: 'dangerous_tool', policy: 'deny' });
    harness.grantSessionTool({ toolName: 'echo' });
    harness.grantSessionCategory({ category: 'edit' });
    expect(harness.getPermissionRules()).toEqual({ categories: { execute: 'ask' }, tools: { dangerous_tool: 'deny' } });
    expect(harness.getSessionGrants()).toEqual({ categories: new Set(['edit']), tools: new Set(['echo']) });
    expect(harness.getToolCategory({ toolName: 'echo' })).toBe('read');
    expect(harness.getToolCategory({ toolName: 'other' })).toBe(null);
  });

  it('cannot be changed through returned values', () => {
    type Writable = { tools: Record<string, PermissionPolicy> };
    const { harness } = scene([], { tools: { echo } });
    const rules = () => harness.getPermissionRules() as Writable;
    rules().tools['echo'] = 'allow';
    expect(rules().tools).toEqual({});
    expect(scene([]).harness.getPermissionRules().tools).toEqual({});
    harness.subscribe(event => {
      if (event.type === 'state_changed') (event.state['permissionRules'] as Writable).tools['echo'] = 'allow';
    });
    harness.setPermissionForTool({ toolName: 'echo', policy: 'deny' });
    (harness.getState()['permissionRules'] as Writable).tools['echo'] = 'allow';
    harness.getSessionGrants().tools.add('echo');
    expect(rules().tools).toEqual({ echo: 'deny' });
    expect(harness.getSessionGrants().tools.size).toBe(0);
  });

  const own = (category?: string) =>
    defineTool({
      name: 'shout',
      description: 'says it louder',
      input: z.object({}),
      ...(category !== undefined && { category }),
      execute: () => 'LOUD',
    });
  const shouts = (permissions: PermissionRuleSet, options: SceneOptions = {}) => {
    const { harness, ...rest } = scene([[calls('shout')], 'Done.'], {
      ...options,
      agent: { tools: [own('edit')], permissions },
    });
    harness.subscribe(({ type }) => {
      if (type === 'tool_approval_required') harness.respondToToolApproval({ decision: 'decline' });
    });
    return { harness, ...rest };
  };

  it('of the agent that deny win over yolo, and show their reason', async () => {
    const reason = 'This office is quiet.';
    const { harness, of } = shouts({ rules: [{ tool: 'shout', policy: 'deny', reason }] }, yolo);
    harness.grantSessionTool({ toolName: 'shout' });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_end')).toMatchObject([{ result: reason, isError: false }]);
    expect(of('tool_approval_required')).toEqual([]);
  });

  it('of the agent that allow count until a policy is set', async () => {
    const rules: PermissionRuleSet = { rules: [{ category: 'edit', policy: 'allow' }] };
    const free = shouts(rules);
    await free.harness.sendMessage({ content: 'Go.' });
    expect(free.of('tool_end')).toMatchObject([{ result: 'LOUD' }]);
    const asked = shouts(rules);
    asked.harness.setPermissionForCategory({ category: 'edit', policy: 'ask' });
    await asked.harness.sendMessage({ content: 'Go.' });
    expect(asked.of('tool_end')).toMatchObject([{ result: 'Tool call was not approved by the user' }]);
  });

  it('of the agent that ask are lifted by a grant', async () => {
    const { harness, of } = shouts({ rules: [{ tool: 'shout', policy: 'ask' }] });
    harness.grantSessionCategory({ category: 'edit' });
    await harness.sendMessage({ content: 'Go.' });
    expect([of('tool_approval_required'), of('tool_end')[0]?.result]).toEqual([[], 'LOUD']);
  });

  it('that may be denied by the agent need the answer of a person, also with yolo', async () => {
    const shell = defineTool({
      name: 'shell',
      description: 'runs it',
      input: z.object({ command: z.string() }),
      shell: true,
      execute: () => 'ran',
    });
    const line = calls('shell', { command: 'if true; then ls; fi' });
    const { harness, on, of } = scene([[line], 'Done.'], {
      agent: { tools: [shell], permissions: { rules: [{ command: 'rm *', policy: 'deny' }] } },
      ...yolo,
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    await on('tool_approval_required');
    harness.grantSessionTool({ toolName: 'shell' });
    await Promise.resolve();
    expect(harness.getDisplayState().pendingApproval).toMatchObject({ toolName: 'shell' });
    harness.respondToToolApproval({ decision: 'approve' });
    await sending;
    expect(of('tool_end')).toMatchObject([{ result: 'ran' }]);
  });

  it('use the category of the tool itself when there is no resolver', async () => {
    const twice = [[calls('shout', {}, 'one'), calls('shout', {}, 'two')], 'Done.'];
    const { harness, of } = scene(twice, {
      agent: { tools: [own('edit')] },
      tools: { look: { ...echo, category: 'read' }, fetch: own('network'), none: own() },
    });
    const category = (toolName: string) => harness.getToolCategory({ toolName });
    expect(['shout', 'look', 'fetch', 'none', 'toString', 'unknown'].map(category)).toEqual([
      'edit',
      'read',
      'other',
      null,
      null,
      null,
    ]);
    harness.subscribe(({ type }) => {
      if (type === 'tool_approval_required') harness.respondToToolApproval({ decision: 'always_allow_category' });
    });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_approval_required')).toHaveLength(1);
    expect(harness.getSessionGrants().categories).toEqual(new Set(['edit']));
    expect(of('tool_end').map(({ result }) => result)).toEqual(['LOUD', 'LOUD']);
  });

  it('that change during a run apply to its next call', async () => {
    const { harness, of } = scene(
      [[calls('echo', { value: 'a' }, 'one')], [calls('echo', { value: 'b' }, 'two')], 'Done.'],
      {
        tools: { echo },
      },
    );
    harness.subscribe(({ type }) => {
      if (type !== 'tool_approval_required') return;
      harness.grantSessionTool({ toolName: 'echo' });
      harness.respondToToolApproval({ decision: 'approve' });
    });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_approval_required')).toHaveLength(1);
    expect(of('tool_end').map(({ result }) => result)).toEqual(['a!', 'b!']);
  });
});
