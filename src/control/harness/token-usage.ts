import type { EventOf } from '../../events/index.ts';

/**
 * Tokens as a harness counts them: `promptTokens` includes cached ones, `completionTokens` includes reasoning. Those that
 * are made here are frozen, since they are handed out.
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

/** No tokens yet. */
export function emptyTokenUsage(): TokenUsage {
  return Object.freeze({
    promptTokens: 0,
    completionTokens: 0,
    totalTokens: 0,
    cachedInputTokens: 0,
    cacheCreationInputTokens: 0,
  });
}

/** What one model call used; a count that was never reported is absent. */
export function tokenUsageOf(event: EventOf<'usage'>): TokenUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = event;
  return Object.freeze({
    promptTokens: inputTokens,
    completionTokens: outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cacheReadTokens !== undefined && { cachedInputTokens: cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheCreationInputTokens: cacheWriteTokens }),
  });
}

const optionalCounts = ['reasoningTokens', 'cachedInputTokens', 'cacheCreationInputTokens'] as const;

/** Both together; a count that neither has stays absent. What a tool tells may lack any. */
export function addTokenUsage(a: TokenUsage, b: Partial<TokenUsage>): TokenUsage {
  const sum: { -readonly [Key in keyof TokenUsage]: TokenUsage[Key] } = {
    promptTokens: a.promptTokens + (b.promptTokens ?? 0),
    completionTokens: a.completionTokens + (b.completionTokens ?? 0),
    totalTokens: a.totalTokens + (b.totalTokens ?? 0),
  };
  for (const count of optionalCounts)
    if (a[count] !== undefined || b[count] !== undefined) sum[count] = (a[count] ?? 0) + (b[count] ?? 0);
  return Object.freeze(sum);
}
