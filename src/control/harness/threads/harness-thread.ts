import type { TokenUsage } from '../token-usage.ts';
import type { Thread } from '../../../log/event-log.ts';

/** A thread of a harness. */
export interface HarnessThread {
  readonly id: string;
  readonly resourceId: string;
  readonly title?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly tokenUsage?: TokenUsage;
  readonly metadata?: Record<string, unknown>;
}

/** The current thread and mode, and the available threads. */
export interface HarnessSession {
  readonly currentThreadId: string | null;
  readonly currentModeId: string;
  readonly threads: HarnessThread[];
}

/** Returns the metadata that a copy of a thread starts with: without usage, and without the tags of a fork. */
export function copiedMetadata(metadata: Thread['metadata']): Record<string, unknown> {
  const {
    tokenUsage: _,
    forkedSubagent: _fork,
    parentThreadId: _parent,
    parentToolCallId: _call,
    ...copied
  } = metadata;
  return copied;
}
