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

  it('counts again when the last of several answers is there', async () => {
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
});
