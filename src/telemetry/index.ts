/**
 * The spans of runs for OpenTelemetry: sent as they end, or computed from a stored thread.
 * @module
 */
export type { Diagnostic, OnDiagnostic } from '../base/diagnostics.ts';
export { encodeSpan, joinSpans, type TraceSource } from '../protocols/otel/otlp.ts';
export { foldSpans, type SpanFoldOptions } from '../protocols/otel/span-fold.ts';
export type { Attributes, AttributeValue, Span } from '../protocols/otel/span.ts';
export type { Sampling } from './sampling.ts';
export type { SpanCounts } from './span-sender.ts';
export { Telemetry, type TelemetryOptions } from './telemetry.ts';
