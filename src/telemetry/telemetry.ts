import * as z from 'zod';
import { backgroundClock, type Clock } from '../agents/clock.ts';
import { createRedactor, type GrowingRedactor } from '../agents/redaction/redactor.ts';
import { ignoreDiagnostic, type OnDiagnostic } from '../base/diagnostics.ts';
import type { RunFollower, RunHandle } from '../control/supervision/run-control.ts';
import { optionsCheck, type OptionFields } from '../base/options/check-options.ts';
import { callback, clock, eventLog, field, flag, milliseconds, object, text } from '../base/options/option-fields.ts';
import type { EventLog } from '../log/event-log.ts';
import { encodeSpan } from '../protocols/otel/otlp.ts';
import type { Attributes, Span } from '../protocols/otel/span.ts';
import { FollowedThread } from './followed-thread.ts';
import { isSampled, type Sampling } from './sampling.ts';
import { type SpanCounts, SpanSender } from './span-sender.ts';

export interface TelemetryOptions {
  readonly log: EventLog;
  /** Where spans are posted as OTLP in JSON, such as `http://localhost:4318/v1/traces`. */
  readonly url: string;
  /** Headers of the requests, such as the key of a service. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether spans include the content of people, models and tools; false by default. */
  readonly content?: boolean;
  /** Secret values: they are replaced in spans. */
  readonly secrets?: readonly string[];
  /** The attributes of the process, such as `service.name`, which is `singletree` by default. */
  readonly resource?: Attributes;
  /** Selects the traces to send; by default all that the caller of a run records. */
  readonly sampling?: Sampling;
  /** Whether requests are compressed with gzip. */
  readonly compress?: boolean;
  /** How long a request may take, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  /** How long spans are buffered for a batch, in milliseconds; 1,000 by default. */
  readonly delayMs?: number;
  /** The version of the sender; `0` by default. */
  readonly version?: string;
  /** Receives failures; ignored by default. */
  readonly onDiagnostic?: OnDiagnostic;
  /** Times batches and retries; the machine's clock by default. */
  readonly clock?: Clock;
}

/** How many threads are remembered between their runs. */
const mostThreads = 200;

const checkTelemetryOptions = optionsCheck<TelemetryOptions>('new Telemetry')(() => ({
  log: eventLog(),
  url: field(isHttpUrl, 'the address of a receiver, such as "http://localhost:4318/v1/traces"'),
  headers: object().optional(),
  content: flag().optional(),
  secrets: z.array(z.string()).optional(),
  resource: object().optional(),
  sampling: z
    .strictObject({
      ratio: field(value => typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1').optional(),
      ignoresCaller: flag().optional(),
    } satisfies OptionFields<Sampling>)
    .optional(),
  compress: flag().optional(),
  timeoutMs: milliseconds().optional(),
  delayMs: milliseconds().optional(),
  version: text().optional(),
  onDiagnostic: callback().optional(),
  clock: clock().optional(),
}));

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/./.test(value) && URL.canParse(value);
}

/**
 * Sends the spans of runs to an OpenTelemetry receiver as they end: pass it to a `Supervisor` as `telemetry`. It reads
 * the log, so no run waits for it; its queue is bounded.
 */
export class Telemetry implements RunFollower {
  readonly #options: TelemetryOptions;
  readonly #sender: SpanSender;
  readonly #redactor: GrowingRedactor;
  /** By when they were used, the latest last. */
  readonly #threads = new Map<string, FollowedThread>();
  #isClosed = false;

  /** Throws `invalid_argument` for options that are unknown, missing or invalid. */
  constructor(options: TelemetryOptions) {
    checkTelemetryOptions(options);
    const { url, headers = {}, compress = false, timeoutMs = 10_000, delayMs = 1_000, version = '0' } = options;
    this.#options = options;
    this.#redactor = createRedactor(options.secrets ?? []);
    this.#sender = new SpanSender({
      url,
      headers,
      isCompressed: compress,
      timeoutMs,
      delayMs,
      source: { resource: { 'service.name': 'singletree', ...options.resource }, version },
      clock: options.clock ?? backgroundClock,
      onDiagnostic: options.onDiagnostic ?? ignoreDiagnostic,
    });
  }

  /** How many spans were sent, dropped, and wait. */
  get counts(): SpanCounts {
    return this.#sender.counts;
  }

  /** Follows a run of this process from an event of its thread on, until it ends. */
  follow(run: RunHandle, seq: number): void {
    if (this.#isClosed) return;
    const { threadId } = run;
    const thread = this.#threads.get(threadId) ?? this.#open(threadId);
    this.#threads.delete(threadId);
    this.#threads.set(threadId, thread);
    thread.follow(run, seq);
    const oldest = [...this.#threads].find(([, { isActive }]) => !isActive);
    if (this.#threads.size > mostThreads && oldest !== undefined) this.#threads.delete(oldest[0]);
  }

  /** Sends the spans that have ended. */
  flush(): Promise<void> {
    return this.#sender.flush();
  }

  /** Hides more secret values in every span from now on. */
  hideSecrets(secrets: Iterable<string>): void {
    this.#redactor.add(secrets);
  }

  /** Sends the spans that have ended, for at most 3 seconds, and follows nothing more. Close the supervisor before it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const thread of this.#threads.values()) await thread.close();
    await this.#sender.close(3_000);
  }

  #open(threadId: string): FollowedThread {
    const { log, content = false, onDiagnostic = ignoreDiagnostic } = this.#options;
    return new FollowedThread({ log, threadId, content, onDiagnostic, onSpan: span => this.#add(span) });
  }

  #add(span: Span): void {
    if (isSampled(span, this.#options.sampling)) this.#sender.add(this.#redactor.json(encodeSpan(span)));
  }
}
