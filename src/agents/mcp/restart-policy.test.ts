import { describe, expect, it } from 'vitest';
import { RestartPolicy } from './restart-policy.ts';

describe('the restart policy', () => {
  it('starts at once, then waits longer each time, and stops at the limit', () => {
    const policy = new RestartPolicy(5, 500);
    expect(Array.from({ length: 6 }, () => policy.next())).toEqual([0, 500, 1_000, 2_000, 4_000, undefined]);
  });

  it('waits at most half a minute', () => {
    const policy = new RestartPolicy(20, 500);
    expect(Array.from({ length: 20 }, () => policy.next()).at(-1)).toBe(30_000);
  });

  it('resets after a success', () => {
    const policy = new RestartPolicy(1, 500);
    policy.next();
    policy.reset();
    expect([policy.next(), policy.next()]).toEqual([0, undefined]);
  });
});
