import { optionsCheck } from '../../base/options/check-options.ts';
import { field, flag, name } from '../../base/options/option-fields.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import type { UsedInCall } from './thread-derivation.ts';

/** What totals are kept apart by. */
export type UsageGroup = 'day' | 'agent' | 'model' | 'resource';

/** Which usage to add up. */
export interface UsageQuery {
  /** The first day and the last, in UTC, such as `2026-01-31`; without end when absent. */
  readonly from?: string;
  readonly to?: string;
  /** Only threads of this resource. */
  readonly resourceId?: string;
  /** One total for each of these; one for all when absent or empty. */
  readonly by?: readonly UsageGroup[];
  /** Whether to add up what imported events report instead, which counts in nothing else. */
  readonly imported?: boolean;
}

/** Tokens and cost of model calls; the fields that the query groups by are present. */
export interface GroupedUsage extends UsageCounts {
  readonly modelCalls: number;
  readonly resourceId?: string;
  readonly day?: string;
  /** Empty for runs without an agent. */
  readonly agentId?: string;
  /** Empty for calls of a model that is not known. */
  readonly modelId?: string;
}

/** The usage of one resource, day, agent and model, as stores keep it. */
export interface UsageRow extends UsedInCall {
  readonly resourceId: string;
  readonly modelCalls: number;
}

const day = () => field(isDay, 'a day such as "2026-01-31"');
const groups: readonly unknown[] = ['day', 'agent', 'model', 'resource'] satisfies UsageGroup[];
const isGroupList = (value: unknown) => Array.isArray(value) && value.every(group => groups.includes(group));

/** Throws `invalid_argument` for a query that is not valid. */
export const checkUsageQuery = optionsCheck<UsageQuery>('usage')(() => ({
  from: day().optional(),
  to: day().optional(),
  resourceId: name().optional(),
  by: field(isGroupList, 'a list of "day", "agent", "model" and "resource"').optional(),
  imported: flag().optional(),
}));

/** Whether a value is a day as queries name it. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
}

/** Marks the days of imported calls, which stores keep apart by it: it comes after the days of all others. */
const importedMark = '~';

/** Returns calls as stores keep them. */
export function toStoredCalls(calls: readonly UsedInCall[], isImported: boolean): readonly UsedInCall[] {
  return isImported ? calls.map(call => ({ ...call, day: `${importedMark}${call.day}` })) : calls;
}

/** Returns the first day and the last that a query is about, as stores keep them. */
export function storedDays({ from = '', to = '9999-99-99', imported }: UsageQuery): { from: string; to: string } {
  const mark = imported === true ? importedMark : '';
  return { from: `${mark}${from}`, to: `${mark}${to}` };
}

/** Whether a row is asked for. */
export function isInQuery({ resourceId, day: of }: Pick<UsageRow, 'resourceId' | 'day'>, query: UsageQuery): boolean {
  const { from, to } = storedDays(query);
  return of >= from && of <= to && (query.resourceId === undefined || query.resourceId === resourceId);
}

/** The totals of rows, in the order of what they are kept apart by. */
export function totalsOf(rows: Iterable<UsageRow>, { by = [] }: UsageQuery): GroupedUsage[] {
  const totals = new Map<string, GroupedUsage>();
  for (const { resourceId, day: of, agentId, modelId, counts, modelCalls } of rows) {
    const group = {
      ...(by.includes('day') && { day: of.replace(importedMark, '') }),
      ...(by.includes('agent') && { agentId }),
      ...(by.includes('model') && { modelId }),
      ...(by.includes('resource') && { resourceId }),
    };
    const key = JSON.stringify(Object.values(group));
    const before = totals.get(key);
    const sum = addUsage(before ?? noUsage, counts);
    totals.set(key, { ...group, ...sum, modelCalls: (before?.modelCalls ?? 0) + modelCalls });
  }
  if (by.length === 0 && totals.size === 0) return [{ ...noUsage, modelCalls: 0 }];
  return [...totals].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total);
}
