import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../src/agents/loop/tool.ts';
import { scriptByStep } from '../../src/agents/model/scripted/script.ts';
import type { HarnessTool } from '../../src/control/harness/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { calls, gate, scene, yolo } from './scene.ts';

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
    await harness.respondToToolSuspension({ resumeData: { code: 7 } });
    await sending;
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
    await second.harness.respondToToolSuspension({ resumeData: { code: 7 } });
    await second.on('agent_end');
    expect(second.of('tool_end')).toMatchObject([{ result: { sum: 3, code: 7 } }]);
    expect(pay.executed.filter(data => data !== undefined)).toEqual([{ code: 7 }]);
    expect(pay.executed.filter(data => data === undefined).length).toBeLessThanOrEqual(1);
    await second.harness.destroy();
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
    const { harness, on, of } = scene(scriptByStep([[calls('guess')], 'Done.']), { tools: { guess }, ...yolo });
    const sending = harness.sendMessage({ content: 'Go.' });
    await on('tool_suspended');
    await harness.respondToToolSuspension({ resumeData: 'wrong' });
    await on('tool_suspended', 2);
    await harness.respondToToolSuspension({ resumeData: 'right' });
    await sending;
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
