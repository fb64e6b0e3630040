import type { EventOf } from './vocabulary.ts';

/** The counts of a `usage` event that are summed. */
export const usageNames = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'cost',
] as const;

/** Tokens and cost as in a `usage` event; a count that was never reported is absent. */
export type UsageCounts = Readonly<Pick<EventOf<'usage'>, (typeof usageNames)[number]>>;

/** The sum of no usage. */
export const noUsage: UsageCounts = Object.freeze({ inputTokens: 0, outputTokens: 0 });

/** Returns the sum of two usages; a count that neither reports stays absent. */
export function addUsage(a: UsageCounts, b: UsageCounts): UsageCounts {
  return sumCounts(usageNames, a, b) as UsageCounts;
}

/** Returns the sums of the named counts; a count that neither has stays absent. */
export function sumCounts<Name extends string>(
  names: readonly Name[],
  a: { readonly [Each in Name]?: number | undefined },
  b: { readonly [Each in Name]?: number | undefined },
): { [Each in Name]?: number } {
  const sums: { [Each in Name]?: number } = {};
  for (const name of names) {
    const [one, other] = [a[name], b[name]];
    if (one !== undefined || other !== undefined) sums[name] = (one ?? 0) + (other ?? 0);
  }
  return sums;
}
