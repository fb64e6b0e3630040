import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TimeLimit } from './time-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the time limit of a tool', () => {
  it('does not count the time until an answer', async () => {
    const limit = new TimeLimit(100, new AbortController().signal);
    vi.advanceTimersByTime(60);
    let answer: (text: string) => void = () => {};
    const asked = limit.pauseFor(new Promise<string>(resolve => (answer = resolve)));
    vi.advanceTimersByTime(1_000);
    expect(limit.over).toBe(false);
    answer('yes');
    expect(await asked).toBe('yes');
    vi.advanceTimersByTime(39);
    expect(limit.over).toBe(false);
    vi.advanceTimersByTime(1);
    expect([limit.over, limit.signal.aborted]).toEqual([true, true]);
  });

  it('counts again when the last of several answers has arrived', async () => {
    const limit = new TimeLimit(100, new AbortController().signal);
    const answers: (() => void)[] = [];
    const ask = () => limit.pauseFor(new Promise<void>(resolve => answers.push(resolve)));
    const asked = [ask(), ask()];
    answers[0]?.();
    await asked[0];
    vi.advanceTimersByTime(1_000);
    expect(limit.over).toBe(false);
    answers[1]?.();
    await asked[1];
    vi.advanceTimersByTime(100);
    expect(limit.over).toBe(true);
  });

  it('does not start again after it was cleared', async () => {
    const limit = new TimeLimit(100, new AbortController().signal);
    const asked = limit.pauseFor(Promise.resolve());
    limit.clear();
    await asked;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects work that takes longer, with the reason of its signal', async () => {
    const limit = new TimeLimit(100, new AbortController().signal);
    const limited = limit.apply(new Promise(() => {}));
    vi.advanceTimersByTime(100);
    await expect(limited).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError' });
    await expect(limit.apply(Promise.resolve())).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('stops with the other signal, whether its own signal was read before or after', async () => {
    const outer = new AbortController();
    const limits = [new TimeLimit(100, outer.signal), new TimeLimit(100, outer.signal)];
    const before = limits[0]?.signal;
    const limited = limits.map(limit => limit.apply(new Promise(() => {})));
    outer.abort('stopped');
    for (const each of limited) await expect(each).rejects.toBe('stopped');
    expect([before?.reason, limits[1]?.signal.reason]).toEqual(['stopped', 'stopped']);
    expect(limits.map(limit => limit.over)).toEqual([false, false]);
  });

  it('settles like work that ends in time, and no longer stops when it is cleared', async () => {
    const outer = new AbortController();
    const limit = new TimeLimit(100, outer.signal);
    expect(await limit.apply(Promise.resolve(1))).toBe(1);
    limit.clear();
    outer.abort();
    expect(limit.signal.aborted).toBe(false);
  });
});
