import { defined } from '../../../base/defined.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { RunTrace } from '../../../events/trace-context.ts';
import type { RequestContext } from '../tools/request-context.ts';
import { notSupported } from '../arguments/check-arguments.ts';

/** The span that a run belongs to. */
export interface TracingContext {
  readonly currentSpan?: { readonly id?: string; readonly traceId?: string } | undefined;
}

/** Tracing options of a run. */
export interface TracingOptions {
  /** 1 to 32 hexadecimal digits. */
  readonly traceId?: string;
  /** 1 to 16 hexadecimal digits. */
  readonly parentSpanId?: string;
  readonly tags?: string[];
  readonly metadata?: Record<string, unknown>;
  /** Keys of the request context to copy into the metadata; `user.id` is the `id` of `user`. */
  readonly requestContextKeys?: string[];
  /** Not available yet: the log stores all input. */
  readonly hideInput?: boolean;
  /** Not available yet: the log stores all output. */
  readonly hideOutput?: boolean;
}

/** Tracing options of a message. */
export interface Traced {
  readonly tracingContext?: TracingContext;
  readonly tracingOptions?: TracingOptions;
  /** Passed to the tools and subagents of the run. */
  readonly requestContext?: RequestContext;
}

/** The trace that a message requests; undefined for none. Throws `invalid_argument` for an invalid id. */
export function createTrace({
  tracingContext,
  tracingOptions = {},
  requestContext,
}: Traced): Partial<RunTrace> | undefined {
  const { tags, hideInput, hideOutput, requestContextKeys = [] } = tracingOptions;
  if (hideInput === true || hideOutput === true)
    throw notSupported('Hiding input or output from a trace', 'omit `hideInput` and `hideOutput`');
  const span = tracingContext?.currentSpan;
  const traceId = hexadecimal('traceId', span?.traceId ?? tracingOptions.traceId, 32);
  const parentSpanId = hexadecimal('parentSpanId', span?.id ?? tracingOptions.parentSpanId, 16);
  const picked = requestContextKeys.flatMap(key => {
    const value = valueAt(requestContext, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  const metadata = { ...Object.fromEntries(picked), ...tracingOptions.metadata };
  const trace = {
    ...defined({ traceId, parentSpanId, tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  return Object.keys(trace).length === 0 ? undefined : trace;
}

function hexadecimal(name: string, value: string | undefined, digits: number): string | undefined {
  if (value === undefined || new RegExp(`^[0-9a-f]{1,${digits}}$`, 'i').test(value)) return value;
  throw new SingletreeError(
    'invalid_argument',
    `Invalid ${name} "${value}". Use 1 to ${digits} hexadecimal digits, or omit it.`,
  );
}

function valueAt(context: RequestContext | undefined, path: string): unknown {
  const [first = '', ...rest] = path.split('.');
  return rest.reduce<unknown>((value, key) => (Object(value) as Record<string, unknown>)[key], context?.get(first));
}
