import type { UsedTokens } from '../../../contract/host.ts';
import { toCount, type WireRecord } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

/** The counts of tokens in a usage record of the protocol; undefined when nothing was used. Input includes cached. */
export function readTokens(usage: WireRecord | undefined): UsedTokens | undefined {
  const inputTokens = toCount(usage?.['inputTokens']);
  const outputTokens = toCount(usage?.['outputTokens']);
  if (inputTokens === undefined || outputTokens === undefined || inputTokens + outputTokens === 0) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...defined({
      cacheReadTokens: toCount(usage?.['cachedReadTokens']),
      cacheWriteTokens: toCount(usage?.['cachedWriteTokens']),
      reasoningTokens: toCount(usage?.['thoughtTokens']),
    }),
  };
}
