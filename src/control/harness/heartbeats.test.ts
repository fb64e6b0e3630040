import { describe, expect, it } from 'vitest';
import { Heartbeats } from './heartbeats.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { gate } from '../../../test/support/scripted-agent.ts';

function scene() {
  const clock = new ManualClock();
  const errors: [unknown, string][] = [];
  const onError = (error: unknown, id: string) => void errors.push([error, id]);
  const heartbeats = new Heartbeats({ clock, endClock: clock, onError });
  return { clock, errors, heartbeats };
}
const ids = ['beats on', 'ends on', 'ends'];
/** Lets what was awaited go on. */
const settled = () => new Promise(setImmediate);

describe('a heartbeat', () => {
  it('beats at once and then at its interval; not at once with immediate: false', async () => {
    const { clock, heartbeats } = scene();
    const beats: string[] = [];
    heartbeats.start([
      { id: 'a', intervalMs: 100, handler: () => void beats.push(`a ${clock.now()}`) },
      { id: 'b', intervalMs: 150, immediate: false, handler: () => void beats.push(`b ${clock.now()}`) },
    ]);
    for (let step = 0; step < 4; step++) {
      await settled();
      clock.advance(50);
    }
    expect(beats).toEqual(['a 0', 'a 100', 'b 150', 'a 200']);
    await heartbeats.stop();
    expect(clock.timers).toBe(0);
  });

  it('skips a beat while one is active', async () => {
    const { clock, heartbeats } = scene();
    const release: (() => void)[] = [];
    heartbeats.start([{ id: 'a', intervalMs: 10, handler: () => new Promise(resolve => release.push(resolve)) }]);
    clock.advance(50);
    expect(release).toHaveLength(1);
    release[0]?.();
    await settled();
    clock.advance(10);
    expect(release).toHaveLength(2);
    release[1]?.();
    await heartbeats.stop();
  });

  it('that fails is reported and continues', async () => {
    const { clock, errors, heartbeats } = scene();
    let beats = 0;
    const failure = new Error('no network');
    const handler = () => {
      beats++;
      throw failure;
    };
    heartbeats.start([{ id: 'a', intervalMs: 10, handler }]);
    await settled();
    clock.advance(10);
    await settled();
    expect([beats, errors]).toEqual([
      2,
      [
        [failure, 'a'],
        [failure, 'a'],
      ],
    ]);
    await heartbeats.stop();
  });

  it('is shut down once after it ends, also when that fails', async () => {
    const { errors, heartbeats } = scene();
    const order: string[] = [];
    let release = () => {};
    heartbeats.start([
      {
        id: 'a',
        intervalMs: 10,
        handler: () => new Promise<void>(resolve => (release = resolve)).then(() => void order.push('beat')),
        shutdown: () => {
          order.push('shutdown');
          throw new Error('late');
        },
      },
    ]);
    const removed = heartbeats.remove('a');
    release();
    await removed;
    expect(order).toEqual(['beat', 'shutdown']);
    expect(errors).toMatchObject([[{ message: 'late' }, 'a']]);
    await heartbeats.remove('a');
  });

  it('with an active id is skipped by start, and replaced by register', async () => {
    const { heartbeats, clock } = scene();
    const seen: string[] = [];
    const named = (name: string) => ({
      id: 'a',
      intervalMs: 10,
      handler: () => void seen.push(name),
      shutdown: () => void seen.push(`end of ${name}`),
    });
    heartbeats.start([named('first'), named('second')]);
    await settled();
    heartbeats.register(named('third'));
    await settled();
    clock.advance(10);
    await settled();
    expect(seen.toSorted()).toEqual(['end of first', 'first', 'third', 'third']);
    await heartbeats.stop();
  });

  it.each([
    ['all are stopped', (heartbeats: Heartbeats) => heartbeats.stop()],
    ['all end for good', (heartbeats: Heartbeats) => heartbeats.close()],
    ['each is removed', (heartbeats: Heartbeats) => Promise.all(ids.map(id => heartbeats.remove(id)))],
  ])('is awaited when %s, for a limited time; a timeout is reported', async (_, end) => {
    const { clock, errors, heartbeats } = scene();
    const never = () => new Promise<void>(() => {});
    const handler = () => {};
    const shut: string[] = [];
    heartbeats.start([
      { id: 'beats on', intervalMs: 10, handler: never, shutdown: () => void shut.push('beats on') },
      { id: 'ends on', intervalMs: 10, handler, shutdown: never },
      { id: 'ends', intervalMs: 10, handler, shutdown: () => void shut.push('ends') },
    ]);
    const ended = end(heartbeats);
    await settled();
    clock.advance(4_999);
    expect([clock.timers, shut, errors]).toEqual([2, ['ends'], []]);
    clock.advance(1);
    await ended;
    expect(errors.map(([error, id]) => [(error as Error).message.slice(0, 43), id])).toEqual([
      ['The heartbeat "beats on" did not end within', 'beats on'],
      ['The heartbeat "ends on" did not end within ', 'ends on'],
    ]);
    expect(clock.timers).toBe(0);
  });

  it.each<[string, (heartbeats: Heartbeats) => Promise<void>]>([
    ['removes itself', heartbeats => heartbeats.remove('a')],
    ['stops all', heartbeats => heartbeats.stop()],
    ['ends all for good', heartbeats => heartbeats.close()],
  ])('that %s does not wait for itself; it is shut down when it is over', async (_, end) => {
    const { clock, errors, heartbeats } = scene();
    const order: string[] = [];
    const handler = async () => {
      await settled();
      await end(heartbeats);
      order.push('ended');
      await settled();
      order.push('over');
    };
    heartbeats.start([{ id: 'a', intervalMs: 10, handler, shutdown: () => void order.push('shutdown') }]);
    while (order.length < 3) await settled();
    expect([order, errors, clock.timers]).toEqual([['ended', 'over', 'shutdown'], [], 0]);
  });

  it('is awaited by code that an earlier beat of it started', async () => {
    const { clock, errors, heartbeats } = scene();
    const order: string[] = [];
    const [later, release] = [gate(), gate()];
    let removed: Promise<void> | undefined;
    const handler = async () => {
      const isFirst = removed === undefined;
      removed ??= later.opened.then(() => heartbeats.remove('a')).then(() => void order.push('removed'));
      if (isFirst) return;
      await release.opened;
      order.push('over');
    };
    heartbeats.start([{ id: 'a', intervalMs: 10, handler }]);
    await settled();
    clock.advance(10);
    later.open();
    await settled();
    release.open();
    await removed;
    expect([order, errors]).toEqual([['over', 'removed'], []]);
  });

  it('that replaces itself does so at once, and is shut down when its beat ends', async () => {
    const { clock, errors, heartbeats } = scene();
    const seen: string[] = [];
    const handler = async () => {
      heartbeats.register({ id: 'a', intervalMs: 10, handler: () => void seen.push('second') });
      await settled();
      clock.advance(5_000);
      seen.push('first');
    };
    heartbeats.start([{ id: 'a', intervalMs: 10_000, handler, shutdown: () => void seen.push('end of first') }]);
    while (!seen.includes('end of first')) await settled();
    expect(seen.slice(0, 1)).toEqual(['second']);
    expect(seen.indexOf('end of first')).toBeGreaterThan(seen.indexOf('first'));
    expect(errors).toEqual([]);
    await heartbeats.stop();
  });

  it('leaves no timer behind when it ends in time', async () => {
    const { clock, heartbeats } = scene();
    heartbeats.start([{ id: 'a', intervalMs: 10, handler: () => {} }]);
    await heartbeats.close();
    expect(clock.timers).toBe(0);
  });

  it('cannot start after close', async () => {
    const { clock, heartbeats } = scene();
    let beats = 0;
    const beat = { id: 'a', intervalMs: 10, handler: () => void beats++ };
    await heartbeats.close();
    heartbeats.start([beat]);
    expect(() => heartbeats.register(beat)).toThrow(expect.objectContaining({ code: 'log_closed' }) as Error);
    expect([beats, clock.timers]).toEqual([0, 0]);
  });
});
