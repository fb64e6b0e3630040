import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { gate, scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import { scriptByStep } from '../../agents/model/scripted/script.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import { MemoryLog } from '../../log/index.ts';
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
  engine.hub.subscribe(event => void events.push(event));
  return { clock, engine, events, working, released };
}

describe('a destroyed harness', () => {
  const never = () => new Promise<void>(() => {});

  it.each([
    ['a beat', { handler: never }],
    ['a shutdown', { shutdown: never }],
  ])('releases run, thread and lock while %s does not end, and waits for a limited time', async (_, heartbeat) => {
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
    expect(events.slice(-3)).toMatchObject([
      { type: 'error', error: { message: expect.stringContaining('The heartbeat "beat" did not end') as string } },
      { type: 'display_state_changed', displayState: { isRunning: true } },
      { type: 'display_state_changed', displayState: { isRunning: false } },
    ]);
  });

  it('emits the errors of shutdowns, and then nothing', async () => {
    const shutdown = () => Promise.reject(new Error('late'));
    const { engine, events } = scene({ shutdown });
    await engine.init();
    await engine.destroy();
    expect(events).toMatchObject([{ type: 'error', error: { message: 'late' } }, { type: 'display_state_changed' }]);
    engine.hub.emit({ type: 'info', message: 'too late' });
    expect(events).toHaveLength(2);
  });
});

describe('a run of another process', () => {
  /** An engine that a run waits in for an approval, and another one on the same storage, whose clock a test turns. */
  async function two() {
    let now = 0;
    const clock = new ManualClock();
    const storage = new MemoryLog({ now: () => now });
    const tools = { echo: { description: 'echoes', execute: () => 'a' } };
    const script = scriptByStep([{ toolCall: { id: 'c', name: 'echo', input: {} } }, 'Done.']);
    const model = scriptedModel(script);
    const config = { id: 'h', storage, tools, modes: [{ id: 'main', agent: loopAgent({ id: 'main', model }) }] };
    const [first, second] = [new Engine(config), new Engine(config, clock)];
    const asked = gate();
    const ended = gate();
    first.hub.subscribe(({ type }) => void (type === 'tool_approval_required' && asked.open()));
    second.hub.subscribe(({ type }) => void (type === 'agent_end' && ended.open()));
    const { done } = first.send({ content: 'Go.' });
    await asked.opened;
    const open = () => second.withThreads(threads => threads.select());
    const leave = () => first.destroy().then(() => done);
    const pass = (ms: number) => {
      now += ms;
      clock.advance(ms);
    };
    return { clock, second, storage, ended, open, leave, pass };
  }

  it('is resumed here when its process is gone, without any call', async () => {
    const { clock, second, ended, open, leave } = await two();
    await open();
    clock.advance(15_000);
    await expect.poll(() => clock.timers).toBe(1);
    expect(second.machine.state.turn).toBe(undefined);
    await leave();
    clock.advance(15_000);
    await expect.poll(() => second.machine.live?.handles.length).toBe(1);
    second.responses.approve({ decision: 'approve' });
    await ended.opened;
    await second.machine.over();
    expect([clock.timers, second.hub.display.isRunning]).toEqual([0, false]);
  });

  it('is resumed with the answer that was given while its process held the thread', async () => {
    const { clock, second, storage, ended, open, leave, pass } = await two();
    const dead = { owner: 'elsewhere/1/x', ttlMs: 20_000 };
    await leave();
    const [thread] = await storage.listThreads();
    await storage.acquireLease(`thread:${thread?.id}`, dead);
    await open();
    second.responses.approve({ decision: 'approve' });
    pass(15_000);
    await expect.poll(() => clock.timers).toBe(1);
    expect(second.hub.display.isRunning).toBe(true);
    pass(15_000);
    await ended.opened;
    await second.machine.over();
    expect(second.hub.display.isRunning).toBe(false);
  });

  it('is not checked after the thread is closed', async () => {
    const { clock, second, open } = await two();
    await open();
    expect(clock.timers).toBe(1);
    await second.destroy();
    expect(clock.timers).toBe(0);
  });
});
