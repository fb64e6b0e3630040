import type { MemorySettings, BufferedSummaries, SummaryEvent } from '../contract/memory.ts';

/** A span that no observation in effect covers, with its tokens. */
export interface WeighedSpan {
  readonly name: string;
  readonly tokens: number;
  /** An observation covers spans of one group only: those of the history and those of the run are different groups. */
  readonly group: number;
}

/** Buffered observations that can take effect: they cover these spans from the first one on, without a gap. */
export interface Chunk {
  readonly summary: SummaryEvent;
  /** The index after the last span it covers. */
  readonly end: number;
  readonly tokens: number;
}

type Limits = MemorySettings['observation'];

export function sumTokens(spans: readonly WeighedSpan[]): number {
  return spans.reduce((sum, { tokens }) => sum + tokens, 0);
}

/**
 * Returns the buffered observations that cover the beginning of these spans, in order; of several the newest one. Those
 * that took effect on another branch are among them.
 */
export function toChunks(spans: readonly WeighedSpan[], buffered: BufferedSummaries): Chunk[] {
  const places = new Map(spans.map(({ name }, place) => [name, place]));
  const chunks: Chunk[] = [];
  for (let start = 0; start < spans.length; ) {
    const summary = buffered(spans[start]?.name ?? '').findLast(
      ({ kind, covers }) => kind === 'observation' && (places.get(covers.to) ?? -1) >= start,
    );
    if (summary === undefined) break;
    const last = places.get(summary.covers.to) ?? start;
    chunks.push({ summary, end: last + 1, tokens: sumTokens(spans.slice(start, last + 1)) });
    start = last + 1;
  }
  return chunks;
}

/** The tokens of messages that stay when observations take effect. */
export function keptTokens({ threshold, activation }: Limits): number {
  return threshold * (1 - activation);
}

/**
 * Returns the chunks to activate, none below the threshold. Keeps the newest messages, unless the remaining messages
 * alone reach the threshold.
 */
export function chunksToActivate(spans: readonly WeighedSpan[], chunks: readonly Chunk[], limits: Limits): Chunk[] {
  let left = sumTokens(spans);
  if (left < limits.threshold) return [];
  const chosen: Chunk[] = [];
  for (const chunk of chunks) {
    if (left < limits.threshold && left - chunk.tokens < keptTokens(limits)) break;
    chosen.push(chunk);
    left -= chunk.tokens;
  }
  return chosen;
}

/** The spans that the next call of the observer covers: from an index up to, not including, another. */
export interface NextSpans {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the next spans to observe, after those that chunks cover; undefined when too little is new. With `isUrgent`,
 * when the run waits, any amount is enough, but the newest messages are excluded unless they reach the threshold.
 */
export function nextToObserve(
  spans: readonly WeighedSpan[],
  start: number,
  { limits, isUrgent }: { readonly limits: Limits; readonly isUrgent: boolean },
): NextSpans | undefined {
  const unread = sumTokens(spans.slice(start));
  if (start >= spans.length || (!isUrgent && unread < limits.bufferEvery * limits.threshold)) return undefined;
  let end = start;
  let taken = 0;
  for (const span of spans.slice(start)) {
    const isOther = span.group !== spans[start]?.group;
    if (end > start && (isOther || taken + span.tokens > limits.batchTokens)) break;
    const left = unread - taken;
    if (isUrgent && left < limits.threshold && left - span.tokens < keptTokens(limits)) break;
    end++;
    taken += span.tokens;
  }
  return end === start ? undefined : { start, end };
}
