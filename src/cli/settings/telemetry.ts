import { traceVariable } from '../../agents/process/process-marks.ts';
import type { OnDiagnostic } from '../../base/diagnostics.ts';
import { printNotice } from '../../control/standard-output.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { parseTraceparent, type RunTrace } from '../../events/trace-context.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { Sampling } from '../../telemetry/sampling.ts';
import type { Telemetry, TelemetryOptions } from '../../telemetry/telemetry.ts';
import { packageVersion } from '../package-version.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface TelemetryPlace {
  readonly log: EventLog;
  readonly secrets: readonly string[];
  readonly onDiagnostic: OnDiagnostic | undefined;
}

/** Opens the span export configured by the OpenTelemetry variables; undefined when none is configured. */
export async function openTelemetry(
  { log, secrets, onDiagnostic }: TelemetryPlace,
  environment: Environment = process.env,
): Promise<Telemetry | undefined> {
  const { notices, ...settings } = readTelemetry(environment);
  for (const notice of notices) printNotice(notice);
  if (settings.url === undefined) return undefined;
  const { Telemetry } = await import('../../telemetry/index.ts');
  const { url, headers = {}, ...others } = settings;
  const hidden = [...secrets, ...Object.values(headers)];
  return new Telemetry({ log, url, headers, secrets: hidden, ...others, ...defined({ onDiagnostic }) });
}

/** Returns the trace that the variable `TRACEPARENT` of the caller names. */
export function readCallerTrace(environment: Environment = process.env): RunTrace | undefined {
  return parseTraceparent(environment[traceVariable]);
}

/** Reads the variables of OpenTelemetry: without a `url` nothing is exported. Throws `invalid_argument`. */
export function readTelemetry(
  environment: Environment,
): Omit<Partial<TelemetryOptions>, 'log'> & { readonly notices: readonly string[] } {
  const value = (name: string) => environment[name]?.trim() || undefined;
  const ofTraces = (name: string) => value(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? value(`OTEL_EXPORTER_OTLP_${name}`);
  const exporter = value('OTEL_TRACES_EXPORTER');
  if (value('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || exporter === 'none') return { notices: [] };
  const base = value('OTEL_EXPORTER_OTLP_ENDPOINT') ?? (exporter === 'otlp' ? 'http://localhost:4318' : undefined);
  const url = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`);
  if (url === undefined) return { notices: [] };
  const protocol = ofTraces('PROTOCOL');
  const notices = [
    protocol !== undefined && protocol !== 'http/json'
      ? `OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}": spans are sent as http/json. A receiver that accepts only protobuf needs an OpenTelemetry collector before it.`
      : '',
    exporter !== undefined && exporter !== 'otlp'
      ? `OTEL_TRACES_EXPORTER is "${exporter}": spans are sent with otlp. Use "none" to send none.`
      : '',
  ];
  const timeout = ofTraces('TIMEOUT');
  return {
    url: check('OTEL_EXPORTER_OTLP_ENDPOINT', url, URL.canParse(url) && /^https?:/.test(url), 'an http address'),
    headers: readPairs('OTEL_EXPORTER_OTLP_HEADERS', ofTraces('HEADERS')),
    resource: {
      'service.version': packageVersion(),
      ...readPairs('OTEL_RESOURCE_ATTRIBUTES', value('OTEL_RESOURCE_ATTRIBUTES')),
      ...defined({ 'service.name': value('OTEL_SERVICE_NAME') }),
    },
    compress: ofTraces('COMPRESSION') === 'gzip',
    content: ['span_only', 'span_and_event', 'true'].includes(
      value('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')?.toLowerCase() ?? '',
    ),
    ...(timeout !== undefined && {
      timeoutMs: Number(check('OTEL_EXPORTER_OTLP_TIMEOUT', timeout, Number(timeout) > 0, 'milliseconds')),
    }),
    sampling: readSampling(value('OTEL_TRACES_SAMPLER'), value('OTEL_TRACES_SAMPLER_ARG')),
    version: packageVersion(),
    notices: notices.filter(notice => notice !== ''),
  };
}

function readSampling(sampler = 'parentbased_always_on', argument = '1'): Sampling {
  const kind = sampler.replace('parentbased_', '');
  const ratios: Readonly<Record<string, number>> = { always_on: 1, always_off: 0, traceidratio: Number(argument) };
  const ratio = ratios[kind] ?? Number.NaN;
  check('OTEL_TRACES_SAMPLER', sampler, kind in ratios, 'always_on, always_off, traceidratio, or parentbased_ and one');
  check('OTEL_TRACES_SAMPLER_ARG', argument, ratio >= 0 && ratio <= 1, 'a number from 0 to 1');
  return { ratio, ignoresCaller: kind === sampler };
}

/** Reads `key=value,key2=value2` with encoded values. */
function readPairs(name: string, text = ''): Record<string, string> {
  const pairs = text.split(',').filter(pair => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map(pair => {
      const at = pair.indexOf('=');
      // The value may contain a key, so only the variable's name is shown.
      if (at <= 0) throw invalid(name, 'key=value, and more of them after commas');
      try {
        return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
      } catch {
        throw invalid(name, 'values in URL encoding');
      }
    }),
  );
}

function check(name: string, text: string, isValid: boolean, expected: string): string {
  if (isValid) return text;
  throw invalid(name, `${expected}, not "${text}"`);
}

function invalid(name: string, expected: string): SingletreeError {
  return new SingletreeError('invalid_argument', `The variable ${name} is invalid: expected ${expected}.`);
}
