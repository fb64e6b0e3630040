import { defined } from '../../base/defined.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { sumCounts } from '../../events/usage-sum.ts';

/**
 * Token counts: `promptTokens` includes cached tokens, `completionTokens` includes reasoning. Values created here are
 * frozen.
 */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheCreationInputTokens?: number;
  readonly raw?: unknown;
}

/** Returns zero counts. */
export function emptyTokenUsage(): TokenUsage {
  return Object.freeze({
    promptTokens: 0,
    completionTokens: 0,
    totalTokens: 0,
    cachedInputTokens: 0,
    cacheCreationInputTokens: 0,
  });
}

/** The usage of one model call; a count that was not reported is absent. */
export function toTokenUsage(event: EventOf<'usage'>): TokenUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = event;
  return Object.freeze({
    promptTokens: inputTokens,
    completionTokens: outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...defined({ reasoningTokens, cachedInputTokens: cacheReadTokens, cacheCreationInputTokens: cacheWriteTokens }),
  });
}

const countNames = [
  'promptTokens',
  'completionTokens',
  'totalTokens',
  'reasoningTokens',
  'cachedInputTokens',
  'cacheCreationInputTokens',
] as const;

/** Adds two counts; a count that both lack stays absent. Usage from tools may be partial. */
export function addTokenUsage(a: TokenUsage, b: Partial<TokenUsage>): TokenUsage {
  return Object.freeze(sumCounts(countNames, a, b) as TokenUsage);
}
