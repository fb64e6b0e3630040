import { sha256 } from '../base/sha256.ts';
import type { AgentEvent, EventOf } from './vocabulary.ts';

/** The trace of a run, stored in its request or in its first event. */
export type RunTrace = NonNullable<EventOf<'harness_start'>['trace']>;

/** The ids of a span. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** Returns the trace id of a root run whose caller named none: the digits of a UUID, else a hash of the run id. */
export function deriveTraceId(runId: string): string {
  const digits = runId.replaceAll('-', '');
  return isTraceId(digits) ? digits : hashTo(32, runId);
}

/** Returns the span id of a run, or of something in it that its kind and id identify. */
export function deriveSpanId(runId: string, part = 'run'): string {
  return hashTo(16, `singletree/span/${runId}/${part}`);
}

/** Returns the span of a root run, with the trace that its caller named. */
export function deriveRunContext(runId: string, trace: Partial<RunTrace> | undefined): SpanContext {
  const traceId = trace?.traceId?.toLowerCase().padStart(32, '0') ?? '';
  return { traceId: isTraceId(traceId) ? traceId : deriveTraceId(runId), spanId: deriveSpanId(runId) };
}

/** Returns the trace in the first event of a run. */
export function findTrace(events: readonly AgentEvent[]): RunTrace | undefined {
  return events.find(event => event.type === 'harness_start')?.trace;
}

/** Returns the trace that a `traceparent` header names; undefined for an absent or invalid one, as its standard asks. */
export function parseTraceparent(header: string | undefined): RunTrace | undefined {
  const [, version, traceId = '', parentSpanId = '', flags = '', rest] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (!isTraceId(traceId) || /^0+$/.test(parentSpanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, parentSpanId, ...(!isSampled && { sampled: false }) };
}

/** Returns the `traceparent` header that names a span as the parent of what follows. */
export function formatTraceparent({ traceId, spanId }: SpanContext, isSampled = true): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

function isTraceId(text: string): boolean {
  return /^[\da-f]{32}$/.test(text) && !/^0+$/.test(text);
}

/** The first digits of the hash of a text; all zeros would be no valid id. */
function hashTo(digits: number, text: string): string {
  const id = sha256(text).slice(0, digits);
  return /^0+$/.test(id) ? hashTo(digits, `${text}/`) : id;
}
