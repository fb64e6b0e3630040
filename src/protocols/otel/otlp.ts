import { defined } from '../../base/defined.ts';
import type { Attributes, AttributeValue, Span } from './span.ts';

/** The source of the spans: resource attributes such as `service.name`. */
export interface TraceSource {
  readonly resource: Attributes;
  /** The version of Singletree. */
  readonly version: string;
}

const kinds = { internal: 1, client: 3 } as const;
/** The parent is known to be in this process, or in another one. */
const parentFlags = { local: 0x100, remote: 0x300 } as const;

/** Returns the body of an OTLP/HTTP request in JSON, with spans as `encodeSpan` returns them. */
export function joinSpans(spans: readonly string[], { resource, version }: TraceSource): string {
  const from = JSON.stringify({ attributes: encodeAttributes(resource), droppedAttributesCount: 0 });
  const scope = JSON.stringify({ name: 'singletree', version });
  return `{"resourceSpans":[{"resource":${from},"scopeSpans":[{"scope":${scope},"spans":[${spans.join(',')}]}]}]}`;
}

/** Returns a span as OTLP in JSON. */
export function encodeSpan(span: Span): string {
  const { traceId, spanId, parentSpanId, name, kind, failure } = span;
  return JSON.stringify({
    traceId,
    spanId,
    ...defined({ parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: encodeTime(span.start),
    endTimeUnixNano: encodeTime(span.end),
    attributes: encodeAttributes(span.attributes),
    droppedAttributesCount: 0,
    events: span.events.map(({ name: event, time, attributes }) => ({
      attributes: encodeAttributes(attributes),
      name: event,
      timeUnixNano: encodeTime(time),
      droppedAttributesCount: 0,
    })),
    droppedEventsCount: 0,
    status: failure === undefined ? { code: 0 } : { code: 2, message: failure },
    links: span.links.map(({ attributes, spanId: linked, traceId: trace }) => ({
      attributes: encodeAttributes(attributes),
      spanId: linked,
      traceId: trace,
      droppedAttributesCount: 0,
      flags: 1 | parentFlags.local,
    })),
    droppedLinksCount: 0,
    flags: 1 | (span.hasRemoteParent === true ? parentFlags.remote : parentFlags.local),
  });
}

function encodeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }));
}

function encodeValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map(encodeValue) } };
  return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
}

/** Nanoseconds since 1970 as a decimal text: a number would lose digits. */
function encodeTime(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds)) * 1_000_000n);
}
