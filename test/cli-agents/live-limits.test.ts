import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { driverScenes } from './support/driver-scene.ts';

const { scene } = driverScenes();

describe('the time limits of a live session', () => {
  it('ends a program that does not open its session, and advises print mode', async () => {
    const { send, events } = await scene({ extraArgs: ['--mute'], openTimeoutMs: 1_500 });
    const run = await send('say hello');
    expect(await run.done).toBe('error');
    const errors = (await events()).filter(event => event.type === 'error');
    expect(errors).toMatchObject([
      {
        code: 'open_timeout',
        message: expect.stringMatching(/did not open its session within 1.5 s.*--print/) as string,
        fatal: true,
      },
    ]);
    const [, pid] = /waiting in process (\d+)/.exec(errors[0]?.message ?? '') ?? [];
    expect(pid).toBeDefined();
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });

  it('do not count the time in which a person is asked', async () => {
    const clock = new ManualClock();
    const { send, relay, supervisor, threadId, find } = await scene({ clock, timeoutMs: 1_000, idleTimeoutMs: 500 });
    const run = await send('run echo one; run echo two; hang');
    const first = await relay();
    clock.advance(100_000);
    await supervisor.answer(threadId, first.id, { outcome: 'approve' });
    const second = await relay(2);
    clock.advance(100_000);
    await supervisor.answer(threadId, second.id, { outcome: 'approve' });
    await find(event => event.type === 'tool_result', 2);
    await vi.waitUntil(() => clock.timers === 2);
    clock.advance(499);
    expect(await Promise.race([run.done, Promise.resolve('running')])).toBe('running');
    clock.advance(1);
    expect(await run.done).toBe('timeout');
  });

  it('end a program at once when its run is stopped before the session is open', async () => {
    const clock = new ManualClock();
    const { send, supervisor, find } = await scene({ clock, extraArgs: ['--mute'] });
    const run = await send('say hello');
    await find(event => event.type === 'warning');
    await supervisor.abort(run.runId);
    expect(await run.done).toBe('aborted');
    expect(clock.timers, 'nothing waits for the program').toBe(0);
  });

  it.each([
    ['runs for too long', { timeoutMs: 2_500 }, 'ran for 2.5 s'],
    ['is silent for too long', { idleTimeoutMs: 2_500 }, 'was silent for 2.5 s'],
  ])('interrupts a turn that %s, and keeps the program for the next one', async (_, limits, message) => {
    const { send, events, texts } = await scene();
    const run = await send('say working; hang', limits);
    expect(await run.done).toBe('timeout');
    const all = await events();
    expect(all.filter(event => event.type === 'error')).toMatchObject([
      { code: 'timeout', message: expect.stringContaining(message) as string, fatal: true },
    ]);
    expect(all.at(-1)).toMatchObject({ type: 'harness_end', reason: 'timeout' });
    const next = await send('echo');
    expect(await next.done).toBe('complete');
    expect((await texts(next.runId)).at(-1), 'the same process').not.toContain('--resume');
  });
});
