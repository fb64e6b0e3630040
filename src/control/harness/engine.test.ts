import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { gate, scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { Engine } from './engine.ts';
import type { HarnessEvent } from './harness-event.ts';
import type { HeartbeatHandler } from './heartbeats.ts';

function scene(heartbeat: Partial<HeartbeatHandler>) {
  const clock = new ManualClock();
  const working = gate();
  const released = gate();
  const agent = scriptedAgent('main', async function* ({ event, until }) {
    yield event('text', { id: 't', content: 'Hm.' });
    working.open();
    await until(new Promise(() => {}));
  });
  const engine = new Engine(
    {
      id: 'h',
      modes: [{ id: 'main', agent }],
      threadLock: { acquire: () => {}, release: released.open },
      heartbeatHandlers: [{ id: 'beat', intervalMs: 100_000, handler: () => {}, ...heartbeat }],
    },
    clock,
  );
  const events: HarnessEvent[] = [];
  engine.announcer.subscribe(event => void events.push(event));
  return { clock, engine, events, working, released };
}

describe('a harness that is destroyed', () => {
  const never = () => new Promise<void>(() => {});

  it.each([
    ['a beat', { handler: never }],
    ['a shutdown', { shutdown: never }],
  ])('gives up run, thread and lock while %s does not end, and waits for it only so long', async (_, heartbeat) => {
    const { clock, engine, events, working, released } = scene(heartbeat);
    const sending = engine.send({ content: 'Go.' });
    await working.opened;
    const destroyed = engine.destroy();
    await released.opened;
    await sending.done;
    expect(engine.threads.current).toBe(undefined);
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
    clock.advance(5_000);
    await destroyed;
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', error: { message: expect.stringContaining('The heartbeat "beat" was not over') as string } },
      { type: 'display_state_changed' },
    ]);
  });

  it('has the errors of shutdowns told, and then nothing more', async () => {
    const shutdown = () => Promise.reject(new Error('late'));
    const { engine, events } = scene({ shutdown });
    await engine.init();
    await engine.destroy();
    expect(events).toMatchObject([{ type: 'error', error: { message: 'late' } }, { type: 'display_state_changed' }]);
    engine.announcer.tell({ type: 'info', message: 'too late' });
    expect(events).toHaveLength(2);
  });
});
