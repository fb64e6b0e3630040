import { hasToolCall, stepCountIs } from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import type { ModelScript } from '../../src/agents/model/scripted/script.ts';
import {
  type HarnessSubagent,
  parseSubagentMeta,
  RequestContext,
  type StopCondition,
} from '../../src/control/index.ts';
import { calls, echo, scene, type SceneOptions, sent, waitingTool, yolo } from './scene.ts';

const explore: HarnessSubagent = {
  id: 'explore',
  name: 'Explorer',
  description: 'looks around',
  instructions: 'Look around.',
  allowedHarnessTools: ['echo'],
};
type StopProgress = Parameters<StopCondition>[0];
const delegate = (more: object = {}, id = 'sub') =>
  calls('subagent', { agentType: 'explore', task: 'Look.', ...more }, id);

function delegating(
  child: ModelScript,
  { subagent, turns, ...options }: SceneOptions & { subagent?: Partial<HarnessSubagent>; turns?: ModelScript } = {},
) {
  const models = new Map<string, ReturnType<typeof scriptedModel>>();
  const resolveModel = (modelId: string) => {
    const model = models.get(modelId) ?? scriptedModel(child, { modelId });
    models.set(modelId, model);
    return model;
  };
  const parent = scene(turns ?? [[delegate()], 'Done.'], {
    tools: { echo, other: echo },
    subagents: [{ ...explore, defaultModelId: 'a/small', ...subagent }],
    resolveModel,
    ...options,
  });
  return { ...parent, models };
}
const content = (events: readonly { result: unknown }[]) => {
  const [end] = events.slice(-1);
  return end?.result as { content: string; isError: boolean };
};

describe('a subagent', () => {
  it('returns its words to the model, and its metadata to the listeners', async () => {
    const { harness, of, model } = delegating(['Found it.'], yolo);
    await harness.sendMessage({ content: 'Go.' });
    expect(model.requests.at(-1)?.toolResults).toMatchObject([{ text: 'Found it.' }]);
    expect(parseSubagentMeta(content(of('tool_end')).content)).toMatchObject({ text: 'Found it.', modelId: 'a/small' });
  });

  it('starts with a fresh context, uses its allowed tools, and emits its events', async () => {
    const { harness, of, lines, models } = delegating([[calls('echo', { value: 'a' })], 'Found it.'], {
      ...yolo,
      subagent: { tools: { own: echo } },
    });
    await harness.sendMessage({ content: 'Go.' });
    const child = models.get('a/small');
    expect(child?.requests[0]?.messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'system: Look around.',
      'user: Look.',
    ]);
    expect(child?.requests[0]?.toolNames).toEqual(['own', 'echo']);
    const about = { toolCallId: of('tool_start')[0]?.toolCallId, agentType: 'explore' };
    expect(of('subagent_start')).toEqual([{ type: 'subagent_start', ...about, task: 'Look.', modelId: 'a/small' }]);
    expect(of('subagent_tool_start')).toEqual([
      { type: 'subagent_tool_start', ...about, subToolName: 'echo', subToolArgs: { value: 'a' } },
    ]);
    expect(of('subagent_tool_end')).toEqual([
      { type: 'subagent_tool_end', ...about, subToolName: 'echo', subToolResult: 'a!', isError: false },
    ]);
    expect(
      of('subagent_text_delta')
        .map(({ textDelta }) => textDelta)
        .join(''),
    ).toBe('Found it.');
    expect(of('subagent_end')).toMatchObject([{ ...about, result: 'Found it.', isError: false }]);
    expect(lines().filter(text => /subagent|tool_(start|end)/.test(text))).toEqual([
      'tool_start sub',
      'subagent_start',
      'subagent_tool_start',
      'subagent_tool_end',
      'subagent_text_delta',
      'subagent_end',
      'tool_end sub',
    ]);
    const result = content(of('tool_end'));
    expect(result.isError).toBe(false);
    expect(parseSubagentMeta(result.content)).toMatchObject({
      text: 'Found it.',
      modelId: 'a/small',
      toolCalls: [{ name: 'echo', isError: false }],
    });
  });

  it('is shown while it runs', async () => {
    const { tool, begun, end } = waitingTool();
    const { harness } = delegating([[calls('wait')], 'Ok.'], { ...yolo, subagent: { tools: { wait: tool } } });
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    expect([...harness.getDisplayState().activeSubagents.values()]).toMatchObject([
      { agentType: 'explore', task: 'Look.', modelId: 'a/small', status: 'running' },
    ]);
    end.open();
    await sending;
    expect(harness.getDisplayState().activeSubagents.size).toBe(0);
  });

  it.each([
    ['the call', { modelId: 'a/called' }, 'a/called'],
    ['the type', {}, 'a/typed'],
  ])('uses the model of %s first', async (_, more, expected) => {
    const { harness, models } = delegating(['Ok.'], { ...yolo, turns: [[delegate(more)], 'Done.'] });
    await harness.setSubagentModelId({ modelId: 'a/global' });
    await harness.setSubagentModelId({ modelId: 'a/typed', agentType: 'explore' });
    await harness.sendMessage({ content: 'Go.' });
    expect([...models.keys()]).toEqual([expected]);
  });

  it('has a model for all types and one per type; choices are emitted and stored', async () => {
    const { harness, of } = delegating([]);
    expect(harness.getSubagentModelId()).toBe(null);
    await harness.setSubagentModelId({ modelId: 'a/global' });
    await harness.createThread();
    await harness.setSubagentModelId({ modelId: 'a/typed', agentType: 'explore' });
    expect(harness.getSubagentModelId()).toBe('a/global');
    expect(harness.getSubagentModelId({ agentType: 'other' })).toBe('a/global');
    expect(harness.getSubagentModelId({ agentType: 'explore' })).toBe('a/typed');
    expect(of('subagent_model_changed')).toEqual([
      { type: 'subagent_model_changed', modelId: 'a/global', scope: 'global' },
      { type: 'subagent_model_changed', modelId: 'a/typed', scope: 'thread', agentType: 'explore' },
    ]);
  });

  it.each([
    ['allow', ['a!']],
    ['deny', ['There is no tool "echo". Available: none.']],
  ] as const)('is not asked about calls that the rules of the harness %s', async (policy, results) => {
    const { harness, of } = delegating([[calls('echo', { value: 'a' })], 'Ok.']);
    harness.grantSessionTool({ toolName: 'subagent' });
    harness.setPermissionForTool({ toolName: 'echo', policy });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_approval_required')).toEqual([]);
    expect(of('subagent_tool_end').map(({ subToolResult }) => subToolResult)).toEqual(results);
  });

  it('is shown under its name', async () => {
    const { tool, begun, end } = waitingTool();
    const { harness } = delegating([[calls('wait')], 'Ok.'], { ...yolo, subagent: { tools: { wait: tool } } });
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    const [shown] = harness.getDisplayState().activeSubagents.values();
    expect(shown).toMatchObject({ agentType: 'explore', displayName: 'Explorer', status: 'running' });
    end.open();
    await sending;
  });

  it('concludes in its last step', async () => {
    const { harness, of, models } = delegating(({ step }) => (step < 1 ? [calls('echo', { value: 'a' })] : 'Enough.'), {
      ...yolo,
      subagent: { maxSteps: 2 },
    });
    await harness.sendMessage({ content: 'Go.' });
    expect(models.get('a/small')?.requests.map(({ toolNames }) => toolNames.length > 0)).toEqual([true, false]);
    expect(content(of('tool_end')).content).toContain('Enough.');
  });

  it.each([
    ['for a number of steps', stepCountIs(3), 3],
    ['for a call', hasToolCall('echo'), 1],
    ['later', async ({ steps }: StopProgress) => steps.at(-1)?.text === 'Step 1', 2],
    ['for what tools gave back', ({ steps }: StopProgress) => steps.at(-1)?.toolResults[0]?.output === '1!', 2],
    ['as one of several', [() => false, stepCountIs(2)], 2],
  ] as const)('ends when its stop condition is met: %s', async (_, stopWhen, steps) => {
    const turn = ({ step }: { step: number }) => [{ text: `Step ${step}` }, calls('echo', { value: `${step}` })];
    const { harness, of, models } = delegating(turn, { ...yolo, subagent: { stopWhen } });
    await harness.sendMessage({ content: 'Go.' });
    expect(models.get('a/small')?.requests).toHaveLength(steps);
    expect(of('subagent_end')).toMatchObject([{ isError: false }]);
    expect(content(of('tool_end'))).toMatchObject({ isError: false });
  });

  it('that fails is an error of the call, and the parent continues', async () => {
    const { harness, of, lines } = delegating([{ httpStatus: 400, message: 'bad' }], yolo);
    await harness.sendMessage({ content: 'Go.' });
    expect(of('subagent_end')).toMatchObject([{ isError: true }]);
    expect(content(of('tool_end'))).toMatchObject({ isError: true, content: expect.stringContaining('bad') as string });
    expect(lines().at(-1)).toBe('agent_end complete');
  });

  it('runs beside others, and all end when the run is aborted', async () => {
    const one = waitingTool();
    const { harness, of, lines } = delegating(({ step }) => (step === 0 ? [calls('wait')] : 'Ok.'), {
      ...yolo,
      turns: [[delegate({}, 'one'), delegate({}, 'two')]],
      subagent: { tools: { wait: one.tool } },
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    await one.begun.opened;
    await expect.poll(() => of('subagent_tool_start').length).toBe(2);
    harness.abort();
    await sending;
    expect(of('subagent_end')).toHaveLength(2);
    expect(lines().at(-1)).toBe('agent_end aborted');
  });

  it('needs approval for the same calls as its parent, by the same rules', async () => {
    const { harness, of, on } = delegating([[calls('echo', { value: 'a' })], 'Ok.']);
    harness.grantSessionTool({ toolName: 'subagent' });
    const sending = harness.sendMessage({ content: 'Go.' });
    expect(await on('tool_approval_required')).toMatchObject({ toolName: 'echo', args: { value: 'a' } });
    expect(harness.getDisplayState().pendingApproval).toMatchObject({ toolName: 'echo' });
    harness.respondToToolApproval({ decision: 'decline' });
    await sending;
    expect(of('subagent_tool_end')).toMatchObject([{ subToolResult: 'Tool call was not approved by the user' }]);
    expect(of('agent_end')).toMatchObject([{ reason: 'complete' }]);
  });

  it('receives the request context of its parent', async () => {
    const seen: unknown[] = [];
    const look = {
      description: 'looks',
      inputSchema: z.object({}),
      execute: (_: unknown, context?: { requestContext?: { get(key: string): unknown } }) => {
        const harness = context?.requestContext?.get('harness') as { harnessId: string; modeId: string };
        seen.push(harness.harnessId, harness.modeId, context?.requestContext?.get('user'));
        return 'ok';
      },
    };
    const { harness, models } = delegating([[calls('look')], 'Ok.'], {
      ...yolo,
      subagent: { tools: { look }, instructions: ({ requestContext }) => `For ${String(requestContext.get('user'))}.` },
    });
    await harness.sendMessage({ content: 'Go.', requestContext: new RequestContext([['user', 'ada']]) });
    expect(seen).toEqual(['harness', 'main', 'ada']);
    expect(sent(models.get('a/small') as never, 0)[0]).toBe('system: For ada.');
  });

  it('needs a model', async () => {
    const { harness, of } = delegating([], { ...yolo, subagent: { defaultModelId: undefined } as object });
    await harness.sendMessage({ content: 'Go.' });
    expect(content(of('tool_end'))).toMatchObject({
      isError: true,
      content: expect.stringContaining('No model is chosen') as string,
    });
  });

  it('is not offered without types, or when it is disabled', async () => {
    const none = scene(['Hi.']);
    await none.harness.sendMessage({ content: 'Hi.' });
    expect(none.model.requests[0]?.toolNames).not.toContain('subagent');
    const disabled = delegating([], { turns: ['Hi.'], disableBuiltinTools: ['subagent', 'task_check'] });
    await disabled.harness.sendMessage({ content: 'Hi.' });
    expect(disabled.model.requests[0]?.toolNames).toEqual([
      'ask_user',
      'submit_plan',
      'task_write',
      'task_update',
      'task_complete',
      'echo',
      'other',
    ]);
    expect(sent(disabled.model)).toEqual(['user: Hi.']);
  });
});
