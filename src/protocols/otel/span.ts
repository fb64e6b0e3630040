import { defined } from '../../base/defined.ts';
import { deriveSpanId, type SpanContext } from '../../events/trace-context.ts';
import { fitJson } from './message-content.ts';

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
  /** The failure; absent when it succeeded. */
  readonly failure?: string;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** The fields of a parent span that its children need. */
export type SpanParent = SpanContext & Pick<Span, 'rootRunId' | 'isSampled'>;

/** A span that has not ended. */
export class OpenSpan {
  readonly context: SpanParent;
  readonly #span: Writable<Omit<Span, 'end' | 'attributes' | 'events'>>;
  readonly #attributes: Record<string, AttributeValue> = {};
  readonly #events: Span['events'][number][] = [];

  constructor(span: Omit<Span, 'end' | 'attributes' | 'events'>) {
    this.#span = { ...span };
    const { traceId, spanId, rootRunId, isSampled } = span;
    this.context = { traceId, spanId, rootRunId, ...defined({ isSampled }) };
  }

  /** Begins a part of a run, inside of another span of its trace. */
  static inside(
    { spanId: parentSpanId, ...trace }: SpanParent,
    { runId, part, ...span }: Pick<Span, 'name' | 'kind' | 'start'> & { readonly runId: string; readonly part: string },
  ): OpenSpan {
    return new OpenSpan({ ...trace, spanId: deriveSpanId(runId, part), parentSpanId, links: [], ...span });
  }

  get start(): number {
    return this.#span.start;
  }

  rename(name: string): void {
    this.#span.name = name;
  }

  /** Sets attributes; undefined values are skipped. */
  set(attributes: Readonly<Record<string, AttributeValue | undefined>>): void {
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) this.#attributes[key] = value;
  }

  /** Sets an attribute to JSON of bounded length. */
  setJson(key: string, value: unknown): void {
    const { json, isCut } = fitJson(value);
    this.#attributes[key] = json;
    if (isCut) this.#attributes['singletree.truncated'] = true;
  }

  /** Adds an event of the span. */
  add(name: string, time: number, attributes: Span['attributes']): void {
    this.#events.push({ name, time, attributes });
  }

  /** Marks it as failed, with the kind of the failure. */
  fail(type: string, message = type): void {
    this.#attributes['error.type'] = type;
    this.#span.failure = message;
  }

  /** Returns the span with its end, which is never before its start. */
  end(time: number): Span {
    const { attributes, events } = { attributes: { ...this.#attributes }, events: [...this.#events] };
    return { ...this.#span, end: Math.max(time, this.#span.start), attributes, events };
  }
}
