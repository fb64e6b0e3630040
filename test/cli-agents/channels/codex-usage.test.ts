import { describe, expect, it } from 'vitest';
import { ThreadUsage } from '../../../src/agents/cli/adapters/codex/live/thread-usage.ts';

const counts = (inputTokens: number) => ({ inputTokens, outputTokens: 1 });
const report = (total: number, last: number) => ({ total: counts(total), last: counts(last) });

describe('the usage of a Codex thread', () => {
  it('is what each turn added', () => {
    const usage = new ThreadUsage();
    usage.report('t', report(10, 10), true);
    usage.report('t', report(30, 20), true);
    expect(usage.take('t')?.inputTokens).toBe(30);
    usage.report('t', report(45, 15), true);
    expect(usage.take('t')?.inputTokens).toBe(15);
    expect(usage.take('t')).toBeUndefined();
  });

  it('begins after the earlier turns of a resumed or forked thread', () => {
    const usage = new ThreadUsage();
    usage.before('t', undefined);
    usage.report('t', report(110, 10), true);
    expect(usage.take('t')?.inputTokens).toBe(10);
    usage.report('reported', report(100, 5), false);
    usage.report('reported', report(120, 5), true);
    expect(usage.take('reported')?.inputTokens).toBe(20);
  });

  it('begins where earlier runs ended when the program reports only totals', () => {
    const usage = new ThreadUsage();
    usage.before('t', { inputTokens: 100, outputTokens: 0 });
    usage.report('t', { total: counts(110) }, true);
    expect(usage.take('t')?.inputTokens).toBe(10);
  });

  it('is not counted from a report that is not understood', () => {
    const usage = new ThreadUsage();
    expect(usage.report('t', { total: { inputTokens: 'many' } }, true)).toBe(false);
    expect(usage.take('t')).toBeUndefined();
  });
});
