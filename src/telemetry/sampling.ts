import type { Span } from '../protocols/otel/span.ts';

/** Selects the traces to send. */
export interface Sampling {
  /** The share of traces, from 0 to 1; all by default. */
  readonly ratio?: number;
  /** Whether the decision of a caller that named the trace is ignored. */
  readonly ignoresCaller?: boolean;
}

/** Whether a span is sent: the same for all spans of its trace, in every process. */
export function isSampled(
  { traceId, isSampled: byCaller }: Span,
  { ratio = 1, ignoresCaller }: Sampling = {},
): boolean {
  if (byCaller !== undefined && ignoresCaller !== true) return byCaller;
  return Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;
}
