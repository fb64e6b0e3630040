import type { TokenUsage } from '../token-usage.ts';

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
