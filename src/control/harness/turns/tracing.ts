import { createHash } from 'node:crypto';
import { type AgentEvent, type EventOf, SingletreeError } from '../../../events/index.ts';
import type { RequestContext } from '../tools/request-context.ts';
import { notAvailable } from '../arguments/unavailable-options.ts';

/** What is known of the trace that a run belongs to: its first event carries it. */
export type RunTrace = NonNullable<EventOf<'harness_start'>['trace']>;

/** The span that a run is a part of. */
export interface TracingContext {
  readonly currentSpan?: { readonly id?: string; readonly traceId?: string } | undefined;
}

/** How a run is traced. */
export interface TracingOptions {
  /** 1 to 32 hexadecimal digits. */
  readonly traceId?: string;
  /** 1 to 16 hexadecimal digits. */
  readonly parentSpanId?: string;
  readonly tags?: string[];
  readonly metadata?: Record<string, unknown>;
  /** Keys of the request context that are put into the metadata; `user.id` is the `id` of `user`. */
  readonly requestContextKeys?: string[];
  /** Not available yet: the log holds what was said. */
  readonly hideInput?: boolean;
  /** Not available yet: the log holds what was said. */
  readonly hideOutput?: boolean;
}

/** What a message says about tracing. */
export interface Traced {
  readonly tracingContext?: TracingContext;
  readonly tracingOptions?: TracingOptions;
  /** Given to the tools and subagents of the run. */
  readonly requestContext?: RequestContext;
}

/** What the sender of a message says about the trace of its run; undefined when nothing. Throws `invalid_argument`. */
export function traceOf({
  tracingContext,
  tracingOptions = {},
  requestContext,
}: Traced): Partial<RunTrace> | undefined {
  const { tags, hideInput, hideOutput, requestContextKeys = [] } = tracingOptions;
  if (hideInput === true || hideOutput === true)
    throw notAvailable('Hiding what is said from a trace', 'leave out `hideInput` and `hideOutput`');
  const span = tracingContext?.currentSpan;
  const traceId = hexadecimal('traceId', span?.traceId ?? tracingOptions.traceId, 32);
  const parentSpanId = hexadecimal('parentSpanId', span?.id ?? tracingOptions.parentSpanId, 16);
  const picked = requestContextKeys.flatMap(key => {
    const value = valueAt(requestContext, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  const metadata = { ...Object.fromEntries(picked), ...tracingOptions.metadata };
  const trace = {
    ...(traceId !== undefined && { traceId }),
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(tags !== undefined && { tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  return Object.keys(trace).length === 0 ? undefined : trace;
}

/** The trace that the first event of a run carries. */
export function traceIn(events: readonly AgentEvent[]): RunTrace | undefined {
  for (const event of events) if (event.type === 'harness_start') return event.trace;
  return undefined;
}

/** The trace of a run that nobody named one for: the same for everybody who knows the run. */
export function traceIdOf(runId: string): string {
  const digits = runId.replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(digits) ? digits : createHash('sha256').update(runId).digest('hex').slice(0, 32);
}

function hexadecimal(name: string, value: string | undefined, digits: number): string | undefined {
  if (value === undefined || new RegExp(`^[0-9a-f]{1,${digits}}$`, 'i').test(value)) return value;
  throw new SingletreeError(
    'invalid_argument',
    `The ${name} "${value}" is not valid: give 1 to ${digits} hexadecimal digits, or leave it out.`,
  );
}

function valueAt(context: RequestContext | undefined, path: string): unknown {
  const [first = '', ...rest] = path.split('.');
  return rest.reduce<unknown>((value, key) => (Object(value) as Record<string, unknown>)[key], context?.get(first));
}
