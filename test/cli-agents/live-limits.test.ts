import { describe, expect, it } from 'vitest';
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
