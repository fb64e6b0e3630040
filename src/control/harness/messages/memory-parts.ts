import type { Chunk } from '../../../graph/conversation/record.ts';
import type { Conversation } from '../../../graph/conversation/conversation.ts';
import { getBlocks, getChunks, getRun, getSpawned } from '../../../graph/conversation/queries.ts';
import type { HarnessMessageContent } from '../harness-message.ts';
import { defined } from '../../../base/defined.ts';

/** The work of an observer or a reflector as parts of the message of the run that waited for it. */
export interface MemoryWork {
  readonly parts: readonly HarnessMessageContent[];
  readonly isRunning: boolean;
}

/** Returns the work that a chunk started; undefined for any other chunk, and for work that no run waited for. */
export function memoryWork(conversation: Conversation, { id, event: start }: Chunk): MemoryWork | undefined {
  if (start.type !== 'harness_start' || start.memory === undefined || start.memory.background) return undefined;
  const { operation: operationType, tokens: tokensToObserve } = start.memory;
  if (operationType === 'title') return undefined;
  const began: HarnessMessageContent = { type: 'om_observation_start', tokensToObserve, operationType };
  const status = getRun(conversation, start.runId)?.status ?? 'running';
  if (status === 'running') return { parts: [began], isRunning: true };
  const events = getSpawned(conversation, id)
    .flatMap(message => getBlocks(conversation, message.id))
    .flatMap(block => getChunks(conversation, block.id))
    .map(({ event }) => event);
  const summary = events.find(event => event.type === 'summary');
  if (summary === undefined) {
    const reported = events.findLast(event => event.type === 'error')?.message;
    const error = reported ?? `The ${operationType} was ${status === 'aborted' ? 'aborted' : 'interrupted'}.`;
    const failed: HarnessMessageContent = {
      type: 'om_observation_failed',
      error,
      tokensAttempted: tokensToObserve,
      operationType,
    };
    return { parts: [began, failed], isRunning: false };
  }
  const { text: observations, tokens: observationTokens = 0, currentTask, suggestedResponse } = summary;
  const ended: HarnessMessageContent = {
    type: 'om_observation_end',
    tokensObserved: tokensToObserve,
    observationTokens,
    durationMs: Math.max(0, toTime(summary.ts) - toTime(start.ts)),
    operationType,
    observations,
    ...defined({ currentTask, suggestedResponse }),
  };
  return { parts: [began, ended], isRunning: false };
}

function toTime(ts: string | undefined): number {
  return ts === undefined ? 0 : Date.parse(ts);
}
