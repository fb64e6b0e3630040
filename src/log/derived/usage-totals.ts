import { optionsCheck } from '../../base/options/check-options.ts';
import { field, flag, name } from '../../base/options/option-fields.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import type { UsedInCall } from './thread-derivation.ts';

/** The dimensions that usage is grouped by; with `tool`, totals count tool calls instead of model calls. */
export type UsageGroup = 'day' | 'agent' | 'model' | 'resource' | 'thread' | 'tool';

/** The filters and grouping of a usage query. */
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

/** Tokens and cost of model calls, or the calls of tools; the fields that the query groups by are present. */
export interface GroupedUsage extends UsageCounts {
  readonly modelCalls: number;
  /** How often tools were called, how often that failed or was denied, and how long they ran; present when grouped by `tool`. */
  readonly toolCalls?: number;
  readonly failedCalls?: number;
  readonly toolMs?: number;
  readonly resourceId?: string;
  /** Empty for calls that an earlier version counted, and for those of a thread that was deleted before they were counted. */
  readonly threadId?: string;
  readonly tool?: string;
  readonly day?: string;
  /** Empty for runs without an agent. */
  readonly agentId?: string;
  /** Empty for calls of a model that is not known. */
  readonly modelId?: string;
}

/** The usage of one resource, day, agent, model, thread and tool, as stores keep it. */
export interface UsageRow extends UsedInCall {
  readonly resourceId: string;
  readonly threadId: string;
  readonly calls: number;
}

const day = () => field(isDay, 'a day such as "2026-01-31"');
/** Every group of a query. */
export const usageGroups = ['day', 'agent', 'model', 'resource', 'thread', 'tool'] as const satisfies UsageGroup[];
const isGroupList = (value: unknown) =>
  Array.isArray(value) && value.every(group => (usageGroups as readonly unknown[]).includes(group));

/** Throws `invalid_argument` for a query that is not valid. */
export const checkUsageQuery = optionsCheck<UsageQuery>('usage')(() => ({
  from: day().optional(),
  to: day().optional(),
  resourceId: name().optional(),
  by: field(isGroupList, 'a list of "day", "agent", "model", "resource", "thread" and "tool"').optional(),
  imported: flag().optional(),
}));

/** Whether a value is a day as queries name it. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
}

/** Prefixes the days of imported calls, so that stores keep them in separate rows that sort after all other days. */
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

/** Whether a query asks for calls of tools in place of those of models. */
export function asksForTools({ by = [] }: UsageQuery): boolean {
  return by.includes('tool');
}

/** Whether a row is asked for. */
export function isInQuery(
  { resourceId, day: of, tool }: Pick<UsageRow, 'resourceId' | 'day' | 'tool'>,
  query: UsageQuery,
): boolean {
  const { from, to } = storedDays(query);
  if ((tool !== '') !== asksForTools(query)) return false;
  return of >= from && of <= to && (query.resourceId === undefined || query.resourceId === resourceId);
}

/** Adds a call to the rows of its store. */
export function addCall(
  rows: Map<string, UsageRow>,
  { resourceId, id: threadId }: { readonly resourceId: string; readonly id: string },
  call: UsedInCall,
): void {
  const key = JSON.stringify([resourceId, call.day, call.agentId, call.modelId, threadId, call.tool]);
  const { counts, calls, failedCalls, toolMs } = rows.get(key) ?? {
    counts: noUsage,
    calls: 0,
    failedCalls: 0,
    toolMs: 0,
  };
  rows.set(key, {
    ...call,
    resourceId,
    threadId,
    calls: calls + 1,
    counts: addUsage(counts, call.counts),
    failedCalls: failedCalls + call.failedCalls,
    toolMs: toolMs + call.toolMs,
  });
}

/** Returns the totals of rows, sorted by the fields that they are grouped by. */
export function totalsOf(rows: Iterable<UsageRow>, query: UsageQuery): GroupedUsage[] {
  const { by = [] } = query;
  const ofTools = asksForTools(query);
  const totals = new Map<string, GroupedUsage>();
  for (const { resourceId, threadId, day: of, agentId, modelId, tool, counts, calls, failedCalls, toolMs } of rows) {
    const group = {
      ...(by.includes('day') && { day: of.replace(importedMark, '') }),
      ...(by.includes('agent') && { agentId }),
      ...(by.includes('model') && { modelId }),
      ...(by.includes('resource') && { resourceId }),
      ...(by.includes('thread') && { threadId }),
      ...(by.includes('tool') && { tool }),
    };
    const key = JSON.stringify(Object.values(group));
    const before = totals.get(key);
    totals.set(key, {
      ...group,
      ...addUsage(before ?? noUsage, counts),
      modelCalls: (before?.modelCalls ?? 0) + (ofTools ? 0 : calls),
      ...(ofTools && {
        toolCalls: (before?.toolCalls ?? 0) + calls,
        failedCalls: (before?.failedCalls ?? 0) + failedCalls,
        toolMs: (before?.toolMs ?? 0) + toolMs,
      }),
    });
  }
  if (by.length === 0 && totals.size === 0) return [{ ...noUsage, modelCalls: 0 }];
  return [...totals].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total);
}
