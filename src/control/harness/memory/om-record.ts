import { defined } from '../../../base/defined.ts';
import type { MemoryScope } from '../../../agents/contract/memory.ts';
import type { Conversation } from '../../../graph/conversation/conversation.ts';
import { defaultActive } from '../../../graph/conversation/active.ts';
import { getBufferedSummaries, getSummaries } from '../../../graph/conversation/queries.ts';
import { spansOf } from '../../../projections/reading/spans.ts';

/** The record of observational memory for a thread: a projection of its log. */
export interface ObservationalMemoryRecord {
  readonly id: string;
  readonly threadId: string;
  readonly resourceId: string;
  readonly scope: MemoryScope;
  /** The active observations, as text. */
  readonly activeObservations: string;
  readonly observationTokenCount: number;
  /** How often the observations were condensed. */
  readonly generationCount: number;
  /** When the newest observations took effect. */
  readonly lastObservedAt?: Date;
  /** The last message that the observations cover, in whole or in part. */
  readonly lastObservedMessageId?: string;
  /** The observations that wait to take effect, as text. */
  readonly bufferedObservations?: string;
  readonly currentTask?: string;
  readonly suggestedResponse?: string;
  readonly config: OMRecordConfig;
}

/** The settings of observational memory that are in effect. */
export interface OMRecordConfig {
  readonly observationThreshold: number;
  readonly reflectionThreshold: number;
  readonly observerModelId?: string;
  readonly reflectorModelId?: string;
}

/** The id of a thread's record. */
export function recordIdOf(threadId: string): string {
  return `om:${threadId}`;
}

/** Returns the record of the active branch; null when nothing was observed. */
export function memoryRecord(
  conversation: Conversation,
  about: Pick<ObservationalMemoryRecord, 'threadId' | 'resourceId' | 'scope' | 'config'>,
): ObservationalMemoryRecord | null {
  const spans = spansOf(conversation, defaultActive(conversation), ({ kind }) => kind !== 'compaction');
  const active = spans.flatMap(span => ('summary' in span ? [span] : []));
  const buffered = getBufferedSummaries(conversation).filter(({ kind }) => kind === 'observation');
  const last = active.at(-1);
  if (last === undefined && buffered.length === 0) return null;
  const { ts, currentTask, suggestedResponse } = last?.summary.event ?? {};
  const lastObservedMessageId = last?.blocks.at(-1)?.messageId;
  return {
    id: recordIdOf(about.threadId),
    ...about,
    activeObservations: active.map(({ summary }) => summary.text).join('\n'),
    observationTokenCount: active.reduce((sum, { summary }) => sum + (summary.event.tokens ?? 0), 0),
    generationCount: getSummaries(conversation).filter(({ kind }) => kind === 'reflection').length,
    ...(ts !== undefined && { lastObservedAt: new Date(ts) }),
    ...defined({ lastObservedMessageId }),
    ...(buffered.length > 0 && { bufferedObservations: buffered.map(({ text }) => text).join('\n') }),
    ...defined({ currentTask, suggestedResponse }),
  };
}
