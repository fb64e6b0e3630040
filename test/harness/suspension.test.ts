import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../src/agents/tool-definition/define-tool.ts';
import { scriptByStep } from '../../src/agents/model/scripted/script.ts';
import type { HarnessTool } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { calls, echo, gate, scene, sent, waitingTool, yolo } from './scene.ts';

/** A tool in each form that waits for a code, and a note of each execution. */
function payment() {
  const executed: unknown[] = [];
  const harnessForm: HarnessTool<{ sum: number }> = {
    description: 'pays',
    inputSchema: z.object({ sum: z.number() }),
    resumeSchema: z.object({ code: z.number() }),
    execute: async ({ sum }, context) => {
      executed.push(context?.resumeData);
      if (context?.resumeData === undefined) return context?.suspend?.({ need: 'code' });
      return { sum, ...(context.resumeData as object) };
    },
  };
  const loopForm = defineTool({
    name: 'pay',
    description: 'pays',
    input: z.object({ sum: z.number() }),
    repeatable: true,
    execute: async ({ sum }, { ask }) => {
      const answer = await ask({ relayKind: 'suspension', tool: 'pay', payload: { need: 'code' } });
      executed.push(answer?.input);
      return { context: { sum, ...(answer?.input as object) } };
    },
  });
  return { executed, forms: { 'execute(input, context)': harnessForm, defineTool: loopForm } };
}

const script = scriptByStep([[calls('pay', { sum: 3 })], 'Done.']);
const forms = ['execute(input, context)', 'defineTool'] as const;

describe.each(forms)('a suspended call of a tool in the form %s', form => {
  it('is emitted with what it waits for, and continues with the data', async () => {
    const { harness, on, of } = scene(script, { tools: { pay: payment().forms[form] }, ...yolo });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { toolCallId, resumeSchema, ...event } = await on('tool_suspended');
    expect(event).toMatchObject({ toolName: 'pay', args: { sum: 3 }, suspendPayload: { need: 'code' } });
    expect(resumeSchema === undefined).toBe(form === 'defineTool');
    expect(harness.getDisplayState().pendingSuspension).toMatchObject({ toolCallId });
    await sending;
    await harness.respondToToolSuspension({ resumeData: { code: 7 } });
    await on('agent_end', 2);
    expect(of('tool_end')).toMatchObject([{ toolCallId, result: { sum: 3, code: 7 }, isError: false }]);
    expect(harness.getDisplayState().pendingSuspension).toBe(null);
  });

  it('survives the harness: the next one shows it and continues it', async () => {
    const storage = new MemoryLog();
    const pay = payment();
    const options = () => ({ storage, tools: { pay: pay.forms[form] }, ...yolo });
    const first = scene(script, options());
    void first.harness.sendMessage({ content: 'Go.' }).catch(() => {});
    await first.on('tool_suspended');
    await first.harness.destroy();
    const second = scene(script, options());
    await second.harness.selectOrCreateThread();
    await second.on('tool_suspended');
    expect([second.harness.isRunning(), second.of('agent_start').length]).toEqual([false, 0]);
    expect(second.harness.getDisplayState().pendingSuspension).toMatchObject({ toolName: 'pay' });
    await second.harness.respondToToolSuspension({ resumeData: { code: 7 } });
    await second.on('agent_end');
    expect(second.of('agent_start')).toHaveLength(1);
    expect(second.of('tool_end')).toMatchObject([{ result: { sum: 3, code: 7 } }]);
    expect(pay.executed.filter(data => data !== undefined)).toEqual([{ code: 7 }]);
    expect(pay.executed.filter(data => data === undefined).length).toBeLessThanOrEqual(1);
    await second.harness.destroy();
  });
});

/** A harness whose first turn makes these calls; `pay` waits for a code, `wait` until it is let. */
function suspending(...names: readonly string[]) {
  const { tool: wait, end } = waitingTool();
  const pay = payment().forms['execute(input, context)'];
  const first = names.map(name => (name === 'pay' ? calls('pay', { sum: 3 }) : calls(name)));
  const script = ({ index }: { index: number }) => (index === 0 ? first : 'Done.');
  return { ...scene(script, { tools: { pay, wait }, ...yolo }), end };
}

/** Two harnesses on one storage. */
function two() {
  const options = { storage: new MemoryLog(), tools: { pay: payment().forms['execute(input, context)'] }, ...yolo };
  return [scene(script, options), scene(script, options)] as const;
}

describe('a turn that waits for nothing but the data of suspended calls', () => {
  it('has ended as suspended for its caller and its listeners, and starts again with the response', async () => {
    const { harness, of, lines } = suspending('pay');
    await harness.sendMessage({ content: 'Go.' });
    expect(of('agent_end')).toEqual([{ type: 'agent_end', reason: 'suspended' }]);
    expect(harness.isRunning()).toBe(false);
    expect(harness.getDisplayState()).toMatchObject({ isRunning: false, pendingSuspension: { toolName: 'pay' } });
    const status = () => [...harness.getDisplayState().activeTools.values()].map(tool => tool.status);
    expect(status()).toEqual(['running']);
    await harness.respondToToolSuspension({ resumeData: { code: 7 } });
    expect(of('agent_end')).toHaveLength(2);
    expect(lines().filter(line => /^(agent|tool_(?!input)|message_(start|end) assistant)/.test(line))).toEqual([
      'agent_start',
      'message_start assistant',
      'tool_start pay',
      'tool_suspended pay',
      'message_end assistant tool_use',
      'agent_end suspended',
      'agent_start',
      'message_start assistant tool_use',
      'tool_start pay',
      'tool_end pay',
      'message_start assistant',
      'message_end assistant complete',
      'agent_end complete',
    ]);
    expect(status()).toEqual(['completed']);
    expect((await harness.listMessages()).map(({ role }) => role)).toEqual(['user', 'assistant']);
    await vi.waitFor(() => expect(harness.isRunning()).toBe(false));
    await harness.destroy();
  });

  it('shows one call after another, and is suspended until the last has its data', async () => {
    const first = ['a', 'b'].map(id => calls('pay', { sum: 3 }, id));
    const { harness, of } = scene(({ index }) => (index === 0 ? first : 'Done.'), {
      tools: { pay: payment().forms['execute(input, context)'] },
      ...yolo,
    });
    const shown = () => harness.getDisplayState().pendingSuspension?.toolCallId.split('/')[1];
    await harness.sendMessage({ content: 'Go.' });
    expect(shown()).toBe('a');
    await harness.respondToToolSuspension({ resumeData: { code: 7 } });
    expect([shown(), harness.isRunning()]).toEqual(['b', false]);
    await harness.respondToToolSuspension({ resumeData: { code: 8 } });
    expect(of('agent_end').map(({ reason }) => reason)).toEqual(['suspended', 'suspended', 'complete']);
    expect(of('tool_end').map(({ result }) => result)).toEqual([
      { sum: 3, code: 7 },
      { sum: 3, code: 8 },
    ]);
    await harness.destroy();
  });

  it('takes the data in the listener of its event', async () => {
    const { harness, of } = suspending('pay');
    const responded: Promise<void>[] = [];
    harness.subscribe(event => {
      if (event.type === 'tool_suspended') responded.push(harness.respondToToolSuspension({ resumeData: { code: 7 } }));
    });
    await harness.sendMessage({ content: 'Go.' });
    await Promise.all(responded);
    expect(of('agent_end').map(({ reason }) => reason)).toEqual(['suspended', 'complete']);
    expect(of('tool_end')).toMatchObject([{ result: { sum: 3, code: 7 } }]);
    await harness.destroy();
  });

  it('runs until its other calls have ended', async () => {
    const { harness, on, of, end } = suspending('pay', 'wait');
    const sending = harness.sendMessage({ content: 'Go.' });
    await on('tool_suspended');
    expect([harness.isRunning(), of('agent_end').length]).toEqual([true, 0]);
    end.open();
    await sending;
    expect(of('agent_end')).toEqual([{ type: 'agent_end', reason: 'suspended' }]);
    await harness.destroy();
  });

  it('takes messages into its run and follow-ups after it', async () => {
    const { harness, model, on, of } = suspending('pay');
    await harness.sendMessage({ content: 'Go.' });
    await harness.sendMessage({ content: 'Into it.' });
    await harness.followUp({ content: 'After it.' });
    expect(of('follow_up_queued')).toMatchObject([{ count: 1 }]);
    expect([harness.isRunning(), model.requests.length]).toEqual([false, 1]);
    await harness.respondToToolSuspension({ resumeData: { code: 7 } });
    await on('agent_end', 3);
    expect(sent(model, 1).at(-1)).toBe('user: Into it.');
    expect(sent(model, 2).at(-1)).toBe('user: After it.');
    await harness.destroy();
  });

  it('ends when it is aborted', async () => {
    const { harness, on, of } = suspending('pay');
    await harness.sendMessage({ content: 'Go.' });
    harness.abort();
    await on('agent_end', 2);
    expect(of('agent_end').map(({ reason }) => reason)).toEqual(['suspended', 'aborted']);
    expect(harness.getDisplayState()).toMatchObject({ isRunning: false, pendingSuspension: null });
    await harness.sendMessage({ content: 'Again.' });
    expect(of('agent_end').at(-1)).toEqual({ type: 'agent_end', reason: 'complete' });
    await harness.destroy();
  });

  it('of another process is shown and answered like an own one', async () => {
    const [first, second] = two();
    await first.harness.sendMessage({ content: 'Go.' });
    await second.harness.selectOrCreateThread();
    expect(second.harness.isRunning()).toBe(false);
    await second.harness.respondToToolSuspension({ resumeData: { code: 7 } });
    await Promise.all([first.on('agent_end', 2), second.on('agent_end')]);
    expect(second.of('agent_start')).toHaveLength(1);
    expect([first, second].map(({ model }) => model.requests.length)).toEqual([2, 0]);
    await first.harness.destroy();
    await second.harness.destroy();
  });

  it('of another process is aborted like an own one', async () => {
    const [first, second] = two();
    await first.harness.sendMessage({ content: 'Go.' });
    await second.harness.selectOrCreateThread();
    second.harness.abort();
    await Promise.all([first.on('agent_end', 2), second.on('agent_end')]);
    expect(first.of('agent_end').map(({ reason }) => reason)).toEqual(['suspended', 'aborted']);
    expect(second.harness.getDisplayState().pendingSuspension).toBe(null);
    await first.harness.destroy();
    await second.harness.destroy();
  });

  it('resolves a message that resumes its run', async () => {
    const [first, second] = two();
    await first.harness.createThread();
    await second.harness.selectOrCreateThread();
    await first.harness.sendMessage({ content: 'Go.' });
    await first.harness.destroy();
    await second.harness.sendMessage({ content: 'And?' });
    expect(second.of('agent_end')).toEqual([{ type: 'agent_end', reason: 'suspended' }]);
    expect(second.harness.isRunning()).toBe(false);
    await second.harness.respondToToolSuspension({ resumeData: { code: 7 } });
    await second.on('agent_end', 2);
    expect(sent(second.model)).toContain('user: And?');
    await second.harness.destroy();
  });
});

describe('a turn that waits for a person in another way', () => {
  it.each([
    ['an approval', calls('echo', { value: 'a' }), 'tool_approval_required'],
    ['a question', calls('ask_user', { question: 'Why?' }), 'ask_question'],
    ['access to a file', calls('read', { path: '/etc/hostname' }), 'sandbox_access_request'],
    ['a plan', calls('submit_plan', { plan: '1. Do it' }), 'plan_approval_required'],
  ] as const)('runs on: %s', async (_, call, event) => {
    const { harness, on, of } = scene([[call]], { tools: { echo }, workspace: { root: process.cwd() } });
    for (const toolName of ['ask_user', 'submit_plan', 'read']) harness.grantSessionTool({ toolName });
    let isOver = false;
    const sending = harness.sendMessage({ content: 'Go.' }).then(() => (isOver = true));
    await on(event);
    await harness.listThreads();
    expect([harness.isRunning(), isOver, of('agent_end').length]).toEqual([true, false, 0]);
    harness.abort();
    await sending;
    expect(of('agent_end')).toEqual([{ type: 'agent_end', reason: 'aborted' }]);
    await harness.destroy();
  });
});

describe('a tool in the form execute(input, context)', () => {
  it('may suspend its call several times', async () => {
    const seen: unknown[] = [];
    const guess: HarnessTool = {
      execute: async (_, context) => {
        const { suspend, resumeData } = context?.agent ?? {};
        seen.push(resumeData);
        if (resumeData !== 'right') return suspend?.('again');
        return 'guessed';
      },
    };
    const { harness, of } = scene(scriptByStep([[calls('guess')], 'Done.']), { tools: { guess }, ...yolo });
    await harness.sendMessage({ content: 'Go.' });
    await harness.respondToToolSuspension({ resumeData: 'wrong' });
    await harness.respondToToolSuspension({ resumeData: 'right' });
    expect(of('agent_end').map(({ reason }) => reason)).toEqual(['suspended', 'suspended', 'complete']);
    expect(seen).toEqual([undefined, 'wrong', 'right']);
    expect(of('tool_end')).toMatchObject([{ result: 'guessed' }]);
  });

  it('is not executed again after a crash when it was not suspended', async () => {
    const storage = new MemoryLog();
    let count = 0;
    const begun = gate();
    const work: HarnessTool = {
      execute: (_, context) =>
        new Promise(resolve => {
          count++;
          begun.open();
          context?.abortSignal?.addEventListener('abort', () => resolve('stopped'));
        }),
    };
    const once = scriptByStep([[calls('work')], 'Done.']);
    const first = scene(once, { storage, tools: { work }, ...yolo });
    void first.harness.sendMessage({ content: 'Go.' }).catch(() => {});
    await begun.opened;
    await first.harness.destroy();
    const second = scene(once, { storage, tools: { work }, ...yolo });
    await second.harness.selectOrCreateThread();
    if (second.harness.isRunning()) await second.on('agent_end');
    expect(count).toBe(1);
    await second.harness.destroy();
  });
});
