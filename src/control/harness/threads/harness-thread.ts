import type { TokenUsage } from '../token-usage.ts';

/** A thread as a harness shows it. */
export interface HarnessThread {
  readonly id: string;
  readonly resourceId: string;
  readonly title?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly tokenUsage?: TokenUsage;
  readonly metadata?: Record<string, unknown>;
}

/** Where a harness is, and the threads it has to choose from. */
export interface HarnessSession {
  readonly currentThreadId: string | null;
  readonly currentModeId: string;
  readonly threads: HarnessThread[];
}
