import type { TokenUsage } from './token-usage.ts';

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
