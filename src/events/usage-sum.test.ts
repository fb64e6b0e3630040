import { describe, expect, it } from 'vitest';
import { addUsage, noUsage, sumCounts } from './usage-sum.ts';

describe('the sum of usage', () => {
  it('adds every count, and leaves out those that neither reports', () => {
    const a = { inputTokens: 1, outputTokens: 2, cost: 0.5 };
    const b = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 3, model: 'm' };
    expect(addUsage(a, b)).toStrictEqual({ inputTokens: 11, outputTokens: 22, cacheReadTokens: 3, cost: 0.5 });
    expect(addUsage(noUsage, noUsage)).toStrictEqual({ inputTokens: 0, outputTokens: 0 });
  });

  it('adds only the named counts', () => {
    expect(sumCounts(['a', 'b'], { a: 1, c: 1 } as { a: number }, { a: 2 })).toStrictEqual({ a: 3 });
  });
});
