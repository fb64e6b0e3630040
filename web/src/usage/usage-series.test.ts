import { describe, expect, it } from 'vitest';
import { buildChart, lastDays, linesBy, roundUp } from './usage-series.ts';

const row = (day: string, agentId: string, modelId: string, tokens: number, cost?: number) => ({
  day,
  agentId,
  modelId,
  inputTokens: tokens,
  outputTokens: 1,
  modelCalls: 1,
  ...(cost !== undefined && { cost }),
});
const rows = [row('2026-01-01', 'a', 'm', 10, 0.5), row('2026-01-01', 'b', '', 20), row('2026-01-03', 'a', 'm', 30)];

describe('the usage of a period', () => {
  it('adds up by agent, the largest first, and has no cost where none was reported', () => {
    expect(linesBy(rows, 'agent')).toEqual([
      { key: 'a', modelCalls: 2, inputTokens: 40, outputTokens: 2, cost: 0.5 },
      { key: 'b', modelCalls: 1, inputTokens: 20, outputTokens: 1 },
    ]);
  });

  it('adds up by day, the newest first', () => {
    expect(linesBy(rows, 'day').map(({ key }) => key)).toEqual(['2026-01-03', '2026-01-01']);
  });

  it('has a bar for each day, also for those without usage', () => {
    const days = lastDays(3, Date.parse('2026-01-03T12:00:00Z'));
    const { series, bars, most } = buildChart(rows, { days, by: 'model', measure: 'tokens' });
    expect(series).toEqual(['m', 'not named']);
    expect(bars).toEqual([
      { day: '2026-01-01', parts: [11, 21], total: 32 },
      { day: '2026-01-02', parts: [0, 0], total: 0 },
      { day: '2026-01-03', parts: [31, 0], total: 31 },
    ]);
    expect(most).toBe(32);
  });

  it('joins the smallest series when there are many', () => {
    const many = Array.from({ length: 9 }, (_, index) => row('2026-01-01', `agent-${index}`, 'm', 100 - index));
    const { series, bars } = buildChart(many, { days: ['2026-01-01'], by: 'agent', measure: 'tokens' });
    expect(series).toEqual(['agent-0', 'agent-1', 'agent-2', 'agent-3', 'agent-4', 'other']);
    expect(bars[0]?.total).toBe(many.reduce((all, { inputTokens }) => all + inputTokens + 1, 0));
  });

  it.each([
    [0, 1],
    [32, 50],
    [100, 100],
    [0.013, 0.02],
    [7, 10],
  ])('rounds %d up to %d', (value, rounded) => expect(roundUp(value)).toBeCloseTo(rounded));
});
