import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { calls, gate, scene, yolo } from './scene.ts';

describe('events and heartbeats', () => {
  it('all listeners see every event though one unsubscribes during dispatch; the error of a listener is emitted once', async () => {
    const { harness, of } = scene([]);
    const seen: string[] = [];
    const stop = harness.subscribe(() => stop());
    harness.subscribe(({ type }) => void seen.push(type));
    harness.subscribe(({ type }) => {
      if (type === 'thread_created' || type === 'error') throw new Error('listener broke');
    });
    harness.subscribe(async ({ type }) => {
      if (type === 'thread_created') throw new Error('async listener broke');
    });
    await harness.createThread();
    expect(seen.slice(0, 2)).toEqual(['thread_created', 'display_state_changed']);
    await expect
      .poll(() => of('error').map(({ error }) => error.message))
      .toEqual(['listener broke', 'async listener broke']);
  });

  it('heartbeats do not overlap: one at a time per handler', async () => {
    const { Heartbeats } = await import('../../src/control/harness/heartbeats.ts');
    const { ManualClock } = await import('../support/manual-clock.ts');
    const clock = new ManualClock();
    const end = gate();
    let beats = 0;
    const heartbeats = new Heartbeats({ onError: () => {}, clock });
    const handler = () => {
      beats++;
      return end.opened;
    };
    heartbeats.register({ id: 'a', intervalMs: 10, handler });
    clock.advance(100);
    expect(beats).toBe(1);
    end.open();
    await heartbeats.stop();
  });

  it('plan_approved, info and tool_update are emitted', async () => {
    const { defineTool } = await import('../../src/agents/tool-definition/define-tool.ts');
    const report = defineTool({
      name: 'report',
      description: 'reports',
      input: z.object({}),
      execute: async (_, { progress, emit }) => {
        progress('half');
        await emit({ type: 'warning', message: 'careful' });
      },
    });
    const { harness, on, of } = scene([[calls('report')], [calls('submit_plan', { plan: 'Do it' })], 'Done.'], {
      tools: { report },
      ...yolo,
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { planId } = await on('plan_approval_required');
    await harness.respondToPlanApproval({ planId, response: { action: 'approved' } });
    await sending;
    expect([of('tool_update').length, of('info').length, of('plan_approved').length]).toEqual([1, 1, 1]);
  });
});
