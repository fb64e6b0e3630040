import type { SpanContext } from '../../events/trace-context.ts';

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** One operation of a run with its times, as OpenTelemetry describes it. */
export interface Span extends SpanContext {
  /** The run that it is a part of, which no other run started. */
  readonly rootRunId: string;
  readonly parentSpanId?: string;
  /** Whether the parent is a span of the caller. */
  readonly hasRemoteParent?: true;
  /** Whether the caller records the trace; absent when it is ours. */
  readonly isSampled?: boolean;
  readonly name: string;
  /** `client` for a request to a model, `internal` for everything else. */
  readonly kind: 'internal' | 'client';
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly time: number; readonly attributes: Attributes }[];
  readonly links: readonly (SpanContext & { readonly attributes: Attributes })[];
  /** Why it failed; absent when it did not. */
  readonly failure?: string;
}
