import type { MemoryStatus, MemorySettings } from '../contract/memory.ts';
import type { MemoryContents } from './memory-contents.ts';
import { chunksToActivate } from './observation-plan.ts';

/** Returns the status of a run from what its memory holds. */
export function statusOf(
  { observation, reflection }: MemorySettings,
  contents: MemoryContents,
  run: Pick<MemoryStatus, 'runId' | 'step' | 'working'>,
): MemoryStatus {
  const { spans, chunks, pendingTokens, observationTokens } = contents;
  const reached = { ...observation, threshold: Math.min(observation.threshold, pendingTokens) };
  return {
    ...run,
    messages: { tokens: pendingTokens, threshold: observation.threshold },
    observations: { tokens: observationTokens, threshold: reflection.threshold },
    buffered: {
      observations: {
        chunks: chunks.length,
        messageTokens: sum(chunks.map(({ tokens }) => tokens)),
        projectedMessageRemoval: sum(chunksToActivate(spans, chunks, reached).map(({ tokens }) => tokens)),
        observationTokens: sum(chunks.map(({ summary }) => summary.tokens ?? 0)),
      },
      reflection: {
        inputObservationTokens: contents.reflection === undefined ? 0 : observationTokens,
        observationTokens: contents.reflection?.tokens ?? 0,
      },
    },
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
