import { describe, expect, it } from 'vitest';
import { readCallerTrace, readTelemetry } from './telemetry.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/' };

describe('the variables of OpenTelemetry', () => {
  it.each([
    {},
    { ...endpoint, OTEL_SDK_DISABLED: 'true' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
  ])('ask for no export: %j', environment => {
    expect(readTelemetry(environment)).toEqual({ notices: [] });
  });

  it('name the receiver, its headers and what is sent', () => {
    expect(
      readTelemetry({
        ...endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20a%3D,x-project = p ',
        OTEL_EXPORTER_OTLP_TIMEOUT: '500',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_SERVICE_NAME: 'mine',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,service.name=other',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'SPAN_ONLY',
      }),
    ).toMatchObject({
      url: 'http://localhost:4318/v1/traces',
      headers: { authorization: 'Basic a=', 'x-project': 'p' },
      timeoutMs: 500,
      compress: true,
      resource: { 'service.name': 'mine', 'deployment.environment': 'test' },
      sampling: { ratio: 0.25, ignoresCaller: true },
      content: true,
      notices: [],
    });
  });

  it('of traces go before those of all signals, and the default receiver is local', () => {
    const own = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x.example/in',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=1',
    };
    expect(readTelemetry({ ...endpoint, ...own, OTEL_EXPORTER_OTLP_HEADERS: 'a=2' })).toMatchObject({
      url: 'https://x.example/in',
      headers: { a: '1' },
      content: false,
      sampling: { ratio: 1, ignoresCaller: false },
    });
    expect(readTelemetry({ OTEL_TRACES_EXPORTER: 'otlp' }).url).toBe('http://localhost:4318/v1/traces');
  });

  it('that ask for another protocol or exporter get a notice', () => {
    expect(readTelemetry({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).notices).toEqual([
      expect.stringContaining('"grpc": spans are sent as http/json'),
    ]);
    expect(readTelemetry({ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' }).notices).toHaveLength(1);
  });

  it.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' },
    { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'secret-without-a-name' },
    { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' },
    { ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' },
    { ...endpoint, OTEL_TRACES_SAMPLER: 'sometimes' },
    { ...endpoint, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
  ])('that are invalid are refused by name, without showing a header: %j', environment => {
    expect(() => readTelemetry(environment)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringMatching(/^The variable OTEL_\w+ is invalid: expected (?!.*secret)/) as string,
      }),
    );
  });

  it('name the trace of the caller', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(readCallerTrace({ TRACEPARENT: traceparent })).toMatchObject({ parentSpanId: '00f067aa0ba902b7' });
    expect(readCallerTrace({ TRACEPARENT: 'nonsense' })).toBeUndefined();
    expect(readCallerTrace({})).toBeUndefined();
  });
});
