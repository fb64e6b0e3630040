import { describe, expect, it } from 'vitest';
import type { Harness, HarnessEvent } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { calls, echo, isDetached, scene, sent, silentAfterOneWord, waitingTool, yolo } from './scene.ts';

const asking: [string, HarnessEvent['type'], ReturnType<typeof calls>, object][] = [
  ['an approval', 'tool_approval_required', calls('echo', { value: 'a' }), { tools: { echo } }],
  ['a question', 'ask_question', calls('ask_user', { question: 'Why?' }), yolo],
  ['a plan', 'plan_approval_required', calls('submit_plan', { plan: 'Do it' }), yolo],
];
const pending = ({ harness }: { harness: Harness }) => {
  const { pendingApproval, pendingQuestion, pendingPlanApproval } = harness.getDisplayState();
  return [pendingApproval, pendingQuestion, pendingPlanApproval].filter(item => item !== null).length;
};

describe('interruptions and answers', () => {
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
});
