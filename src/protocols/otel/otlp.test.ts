import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog } from '../../../test/support/random-conversations.ts';
import { encodeSpan, joinSpans } from './otlp.ts';
import { foldSpans } from './span-fold.ts';
import type { Span } from './span.ts';

const source = { resource: { 'service.name': 'test', 'process.pid': 7 }, version: '1.2.3' };

const encode = (spans: readonly Span[]): unknown => JSON.parse(joinSpans(spans.map(encodeSpan), source));

/** Records spans with the tracer of OpenTelemetry, and returns what its own serializer writes. */
function encodeWithSdk(spans: readonly Span[]): unknown {
  const ids = { traceId: '', spanId: '' };
  const idGenerator = { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId };
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    idGenerator,
    resource: resourceFromAttributes(source.resource),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('singletree', source.version);
  for (const span of spans) {
    Object.assign(ids, { traceId: span.traceId, spanId: span.spanId });
    const parent = {
      traceId: span.traceId,
      spanId: span.parentSpanId ?? '',
      traceFlags: TraceFlags.SAMPLED,
      isRemote: span.hasRemoteParent === true,
    };
    const context = span.parentSpanId === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const made = tracer.startSpan(
      span.name,
      {
        kind: span.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
        startTime: span.start,
        attributes: Object.fromEntries(
          Object.entries(span.attributes).map(([key, value]) => [key, Array.isArray(value) ? [...value] : value]),
        ) as Record<string, string | number | boolean | string[]>,
        links: span.links.map(({ attributes, ...linked }) => ({
          context: { ...linked, traceFlags: TraceFlags.SAMPLED },
          attributes: attributes as Record<string, string>,
        })),
      },
      context,
    );
    for (const { name, time, attributes } of span.events)
      made.addEvent(name, attributes as Record<string, string>, time);
    if (span.failure !== undefined) made.setStatus({ code: SpanStatusCode.ERROR, message: span.failure });
    made.end(span.end);
  }
  const bytes = JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans());
  return JSON.parse(new TextDecoder().decode(bytes));
}

describe('OTLP in JSON', () => {
  it('is what the serializer of OpenTelemetry writes, for the spans of random logs', () => {
    fc.assert(
      fc.property(conversationLog(60), fc.boolean(), (events, content) => {
        const spans = foldSpans(events, { threadId: 't', content, open: true });
        if (spans.length > 0) expect(encode(spans)).toEqual(encodeWithSdk(spans));
      }),
      { numRuns: 40 },
    );
  });

  it('is what it writes for a remote parent, fractions, lists and failures', () => {
    const span: Span = {
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '1111111111111111',
      rootRunId: 'r',
      parentSpanId: '00f067aa0ba902b7',
      hasRemoteParent: true,
      name: 'execute_tool bash',
      kind: 'internal',
      start: 1_794_909_600_100,
      end: 1_794_909_601_000,
      attributes: { text: 'é', fraction: 0.5, count: 3, yes: true, list: ['a', 'b'] },
      events: [{ name: 'exception', time: 1_794_909_600_500, attributes: { 'exception.type': 'x' } }],
      links: [{ traceId: '4bf92f3577b34da6a3ce929d0e0e4737', spanId: '2222222222222222', attributes: {} }],
      failure: 'boom',
    };
    expect(encode([span])).toEqual(encodeWithSdk([span]));
  });
});
