import type { UsedTokens } from '../../../contract/host.ts';
import { countOf, type WireRecord } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

/** The counts of tokens in a usage record of the protocol; undefined when nothing was used. Input includes cached. */
export function readTokens(usage: WireRecord | undefined): UsedTokens | undefined {
  const inputTokens = countOf(usage?.['inputTokens']);
  const outputTokens = countOf(usage?.['outputTokens']);
  if (inputTokens === undefined || outputTokens === undefined || inputTokens + outputTokens === 0) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...defined({
      cacheReadTokens: countOf(usage?.['cachedReadTokens']),
      cacheWriteTokens: countOf(usage?.['cachedWriteTokens']),
      reasoningTokens: countOf(usage?.['thoughtTokens']),
    }),
  };
}
