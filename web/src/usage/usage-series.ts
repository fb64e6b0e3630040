import { sumCounts } from '../../../src/events/usage-sum.ts';
import type { UsageTotalInfo } from '../../../src/protocols/http-api.ts';

/** The dimension by which usage is grouped. */
export type UsageKey = 'day' | 'agent' | 'model';
/** The measured quantity. */
export type Measure = 'tokens' | 'cost';

/** One line of the table: what one day, agent or model used. */
export interface UsageLine {
  readonly key: string;
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost?: number;
}

/** One bar of the chart: a day, split by the series. */
export interface UsageBar {
  readonly day: string;
  readonly total: number;
  /** The amount of each series, in the order of the series. */
  readonly parts: readonly number[];
}

export interface UsageChart {
  /** The names of the series, the largest first; the last one is `other` when there are more than fit. */
  readonly series: readonly string[];
  readonly bars: readonly UsageBar[];
  readonly most: number;
}

const mostSeries = 6;
const other = 'other';
const dayMs = 86_400_000;

/** The days of a period that ends today, in UTC, such as `2026-01-31`. */
export function lastDays(count: number, now: number): string[] {
  return Array.from({ length: count }, (_, index) => toDay(now - (count - 1 - index) * dayMs));
}

/** Adds up rows by day, agent or model: days in order, others the largest first. */
export function linesBy(rows: readonly UsageTotalInfo[], by: UsageKey): UsageLine[] {
  const lines = new Map<string, UsageLine>();
  for (const row of rows) {
    const key = toKey(row, by);
    lines.set(key, addUsageLines(lines.get(key) ?? { key, modelCalls: 0, inputTokens: 0, outputTokens: 0 }, row));
  }
  const all = [...lines.values()];
  return by === 'day'
    ? all.toSorted((a, b) => (a.key < b.key ? 1 : -1))
    : all.toSorted((a, b) => countTokens(b) - countTokens(a));
}

/** The bars of a period: one for each day, also those on which nothing was used. */
export function buildChart(
  rows: readonly UsageTotalInfo[],
  { days, by, measure }: { days: readonly string[]; by: 'agent' | 'model'; measure: Measure },
): UsageChart {
  const amounts = new Map<string, number>();
  const byDay = new Map<string, Map<string, number>>(days.map(day => [day, new Map()]));
  for (const row of rows) {
    const [key, amount] = [toKey(row, by), getAmount(row, measure)];
    const bar = byDay.get(row.day ?? '');
    if (bar === undefined) continue;
    bar.set(key, (bar.get(key) ?? 0) + amount);
    amounts.set(key, (amounts.get(key) ?? 0) + amount);
  }
  const names = [...amounts].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  const series = names.length > mostSeries ? [...names.slice(0, mostSeries - 1), other] : names;
  const bars = [...byDay].map(([day, bar]) => {
    const parts = series.map(() => 0);
    for (const [name, amount] of bar) {
      const index = series.indexOf(name);
      const at = index < 0 ? series.length - 1 : index;
      parts[at] = (parts[at] ?? 0) + amount;
    }
    return { day, parts, total: parts.reduce((a, b) => a + b, 0) };
  });
  return { series, bars, most: Math.max(0, ...bars.map(({ total }) => total)) };
}

/** The next round number from a value on: 1, 2 or 5 times a power of ten; 1 for nothing. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find(step => step * power >= value) ?? 10) * power;
}

function toKey({ day = '', agentId, modelId }: UsageTotalInfo, by: UsageKey): string {
  if (by === 'day') return day;
  return (by === 'agent' ? agentId : modelId) || 'not named';
}

function getAmount({ inputTokens, outputTokens, cost = 0 }: UsageTotalInfo, measure: Measure): number {
  return measure === 'cost' ? cost : inputTokens + outputTokens;
}

function countTokens({ inputTokens, outputTokens }: UsageLine): number {
  return inputTokens + outputTokens;
}

const countNames = ['modelCalls', 'inputTokens', 'outputTokens', 'cost'] as const;

/** Returns the sum of two lines, under the key of the first. */
export function addUsageLines(line: UsageLine, other: Pick<UsageTotalInfo, (typeof countNames)[number]>): UsageLine {
  return { ...line, ...sumCounts(countNames, line, other) };
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
