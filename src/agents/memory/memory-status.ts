import type { MemoryStatus, MemorySettings } from '../contract/memory.ts';
import { type MemoryContents, memoryContents } from './memory-contents.ts';
import { chunksToActivate } from './observation-plan.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { defaultActive } from '../../graph/conversation/active.ts';
import { getBufferedFrom } from '../../graph/conversation/queries.ts';
import { ModelInput } from '../../projections/model-input/model-input.ts';
import { RunInput } from '../../projections/model-input/run-input.ts';

/** Returns the memory status of a run from its memory contents. */
export function getStatus(
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

/** Returns how full the memory of a thread is between two runs. */
export async function threadMemoryStatus(conversation: Conversation, memory: MemorySettings): Promise<MemoryStatus> {
  const branch = new ModelInput();
  const history = branch.of(conversation, defaultActive(conversation));
  const input = new RunInput({ runId: '', history, spans: branch.spans(conversation) });
  const contents = await memoryContents(input, from => getBufferedFrom(conversation, from).map(({ event }) => event));
  return getStatus(memory, contents, { runId: '', step: 0, working: undefined });
}
