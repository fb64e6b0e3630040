import type { Memory } from './memory.ts';
import type { MemoryContents } from './memory-contents.ts';
import { chunksToActivate } from './observation-plan.ts';

/** How full the memory of a run is. */
export interface MemoryStatus {
  readonly runId: string;
  readonly step: number;
  /** The messages that no observation in effect covers. */
  readonly messages: { readonly tokens: number; readonly threshold: number };
  /** The observations in effect. */
  readonly observations: { readonly tokens: number; readonly threshold: number };
  /** What was made ahead of time. */
  readonly buffered: {
    readonly observations: {
      readonly chunks: number;
      /** The tokens of the messages that they cover. */
      readonly messageTokens: number;
      /** The tokens of the messages that go when the threshold is reached. */
      readonly projectedMessageRemoval: number;
      readonly observationTokens: number;
    };
    readonly reflection: { readonly inputObservationTokens: number; readonly observationTokens: number };
  };
  /** The job under way that this run started. */
  readonly working: 'observation' | 'reflection' | undefined;
}

/** Returns the status of a run from what its memory holds. */
export function statusOf(
  { observation, reflection }: Memory,
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
