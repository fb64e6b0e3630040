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
});
