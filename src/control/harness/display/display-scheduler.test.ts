import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { DisplayScheduler, type DisplaySchedulerOptions } from './display-scheduler.ts';
import { defaultDisplayState, type HarnessDisplayState } from './display-state.ts';

function scene(options: DisplaySchedulerOptions = {}) {
  const clock = new ManualClock();
  const shown: [number, number][] = [];
  const scheduler = new DisplayScheduler(state => shown.push([clock.now(), state.tokenUsage.totalTokens]), {
    clock,
    ...options,
  });
  const state = (total: number): HarnessDisplayState => ({
    ...defaultDisplayState(),
    tokenUsage: { promptTokens: 0, completionTokens: 0, totalTokens: total },
  });
  let count = 0;
  const notify = (type: 'message_update' | 'agent_end' | 'task_updated') => scheduler.notify(state(++count), { type });
  return { clock, shown, scheduler, notify };
}

describe('the display scheduler', () => {
  it('calls nothing initially, and has no timer while nothing is pending', () => {
    const { clock, shown } = scene();
    clock.advance(1000);
    expect([shown, clock.timers]).toEqual([[], 0]);
  });

  it('delivers the newest state after a quiet window', () => {
    const { clock, shown, notify } = scene();
    notify('message_update');
    clock.advance(100);
    notify('message_update');
    clock.advance(249);
    expect(shown).toEqual([]);
    clock.advance(1);
    expect(shown).toEqual([[350, 2]]);
    expect(clock.timers).toBe(0);
  });

  it('delays no change beyond the maximum wait, however busy it is', () => {
    const { clock, shown, notify } = scene();
    for (let ms = 0; ms < 1200; ms += 10) {
      notify('message_update');
      clock.advance(10);
    }
    expect(shown.map(([at]) => at)).toEqual([500, 1000]);
  });

  it('has one timer, regardless of the number of changes', () => {
    const { clock, notify } = scene();
    for (let count = 0; count < 1000; count++) notify('message_update');
    expect(clock.timers).toBe(1);
  });

  it('delivers a critical event at once, once, with the state after it', () => {
    const { clock, shown, notify } = scene();
    notify('message_update');
    notify('agent_end');
    expect([shown, clock.timers]).toEqual([[[0, 2]], 0]);
    clock.advance(1000);
    expect(shown).toHaveLength(1);
  });

  it('does not flush for tasks', () => {
    const { shown, notify } = scene();
    notify('task_updated');
    expect(shown).toEqual([]);
  });

  it('delivers nothing after cancel', () => {
    const { clock, shown, scheduler, notify } = scene();
    notify('message_update');
    scheduler.cancel();
    notify('agent_end');
    clock.advance(1000);
    expect([shown, clock.timers]).toEqual([[], 0]);
  });

  it('uses the times of its options', () => {
    const { clock, shown, notify } = scene({ windowMs: 10, maxWaitMs: 15 });
    notify('message_update');
    clock.advance(8);
    notify('message_update');
    clock.advance(100);
    expect(shown).toEqual([[15, 2]]);
  });
});
