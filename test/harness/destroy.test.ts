import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Harness, type HeartbeatHandler } from '../../src/control/index.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { isDetached, watch } from './scene.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

/** A harness with a heartbeat, whose agent works until it is stopped. */
function beating(heartbeat: Partial<HeartbeatHandler>) {
  const working = gate();
  const released = gate();
  const agent = scriptedAgent('main', async function* ({ event, until }) {
    yield event('text', { id: 't', content: 'Hm.' });
    working.open();
    await until(new Promise(() => {}));
  });
  const harness = new Harness({
    id: 'h',
    modes: [{ id: 'main', agent }],
    threadLock: { acquire: () => {}, release: released.open },
    heartbeatHandlers: [{ id: 'beat', intervalMs: 100_000, handler: () => {}, ...heartbeat }],
  });
  return { ...watch(harness), working, released };
}

describe('a destroyed harness', () => {
  const never = () => new Promise<void>(() => {});

  it.each([
    ['a beat', { handler: never }],
    ['a shutdown', { shutdown: never }],
  ])('releases run, thread and lock while %s does not end, and waits for a limited time', async (_, heartbeat) => {
    const { harness, events, of, working, released } = beating(heartbeat);
    const sending = harness.sendMessage({ content: 'Go.' });
    await working.opened;
    const destroyed = harness.destroy();
    await released.opened;
    await isDetached(sending);
    expect(harness.getCurrentThreadId()).toBe(null);
    expect(of('error')).toEqual([]);
    await vi.advanceTimersByTimeAsync(5_000);
    await destroyed;
    expect(events.slice(-3)).toMatchObject([
      { type: 'error', error: { message: expect.stringContaining('The heartbeat "beat" did not end') as string } },
      { type: 'display_state_changed', displayState: { isRunning: true } },
      { type: 'display_state_changed', displayState: { isRunning: false } },
    ]);
  });

  it('emits the errors of shutdowns, and then nothing', async () => {
    const shutdown = () => Promise.reject(new Error('late'));
    const { harness, events } = beating({ shutdown });
    await harness.init();
    await harness.destroy();
    expect(events).toMatchObject([{ type: 'error', error: { message: 'late' } }, { type: 'display_state_changed' }]);
    harness.restoreDisplayTasks([]);
    expect(events).toHaveLength(2);
  });
});
