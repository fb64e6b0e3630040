import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { parseJson } from '../base/parse-json.ts';
import type { Clock } from '../agents/clock.ts';
import type { OnDiagnostic } from '../base/diagnostics.ts';
import { joinSpans, type TraceSource } from '../protocols/otel/otlp.ts';

export interface SpanSenderOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isCompressed: boolean;
  readonly timeoutMs: number;
  readonly delayMs: number;
  readonly source: TraceSource;
  readonly clock: Clock;
  readonly onDiagnostic: OnDiagnostic;
}

/** How many spans were sent, and how many were not. */
export interface SpanCounts {
  readonly sent: number;
  readonly dropped: number;
  /** Those that wait to be sent. */
  readonly waiting: number;
}

const mostWaiting = 2048;
const mostBytes = 16 * 1024 * 1024;
const batchSize = 512;
const mostTries = 5;
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
const retried = [429, 502, 503, 504];
const compress = promisify(gzip);

/** The outcome of a request; `retryMs` is undefined when the receiver will never accept it. */
type Outcome = { readonly rejected: number } | { readonly cause: unknown; readonly retryMs: number | undefined };

/**
 * Posts spans to a receiver in batches, one at a time. No caller waits for it: the queue is bounded, and spans that do
 * not fit or that the receiver rejects are dropped and counted.
 */
export class SpanSender {
  readonly #options: SpanSenderOptions;
  readonly #closing = new AbortController();
  readonly #deadline = new AbortController();
  #waiting: string[] = [];
  #bytes = 0;
  #sent = 0;
  #dropped = 0;
  #cancelTimer: (() => void) | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: SpanSenderOptions) {
    this.#options = options;
  }

  get counts(): SpanCounts {
    return { sent: this.#sent, dropped: this.#dropped, waiting: this.#waiting.length };
  }

  /** Adds a span, as `encodeSpan` returns it. */
  add(span: string): void {
    if (this.#waiting.length >= mostWaiting || this.#bytes + span.length > mostBytes)
      return this.#drop(1, 'queue_full');
    this.#waiting.push(span);
    this.#bytes += span.length;
    if (this.#waiting.length >= batchSize) this.#send();
    else this.#cancelTimer ??= this.#options.clock.after(this.#options.delayMs, () => this.#send());
  }

  /** Sends the queued spans; resolves when they are sent or dropped. */
  async flush(): Promise<void> {
    this.#send();
    await this.#sending;
  }

  /** Sends the queued spans without retries, and drops those that are not sent after `graceMs` milliseconds. */
  async close(graceMs: number): Promise<void> {
    this.#closing.abort();
    const cancel = this.#options.clock.after(graceMs, () => this.#deadline.abort());
    await this.flush();
    cancel();
  }

  #send(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchSize);
      for (const span of batch) this.#bytes -= span.length;
      await this.#sendBatch(batch);
    }
  }

  async #sendBatch(batch: readonly string[]): Promise<void> {
    const body = joinSpans(batch, this.#options.source);
    for (let tries = 1; ; tries++) {
      const outcome = await this.#post(body);
      if ('rejected' in outcome) {
        const rejected = Math.min(batch.length, outcome.rejected);
        this.#sent += batch.length - rejected;
        if (rejected > 0) this.#drop(rejected, 'rejected');
        return;
      }
      const { cause, retryMs } = outcome;
      if (retryMs === undefined || tries >= mostTries || this.#closing.signal.aborted)
        return this.#drop(batch.length, cause);
      await this.#wait(Math.min(longestWaitMs, Math.max(retryMs, firstWaitMs * 2 ** (tries - 1))));
    }
  }

  #drop(count: number, cause: unknown): void {
    this.#dropped += count;
    this.#options.onDiagnostic({ code: 'telemetry_dropped', cause });
  }

  /** Resolves after that many milliseconds, or when it is closed. */
  #wait(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const cancel = this.#options.clock.after(milliseconds, resolve);
      this.#closing.signal.addEventListener(
        'abort',
        () => {
          cancel();
          resolve();
        },
        { once: true },
      );
    });
  }

  async #post(text: string): Promise<Outcome> {
    const { url, headers, isCompressed, timeoutMs } = this.#options;
    const compressed = isCompressed ? { 'content-encoding': 'gzip' } : {};
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, ...compressed, 'content-type': 'application/json' },
        body: isCompressed ? await compress(text) : text,
        redirect: 'error',
        signal: AbortSignal.any([this.#deadline.signal, AbortSignal.timeout(timeoutMs)]),
      });
      const { status } = response;
      if (response.ok) return { rejected: rejectedIn(await response.text()) };
      await response.body?.cancel();
      const isRetried = retried.includes(status);
      return {
        cause: new Error(`The receiver answered ${status}.`),
        retryMs: isRetried ? retryAfterMs(response) : undefined,
      };
    } catch (cause) {
      return { cause, retryMs: 0 };
    }
  }
}

/** The delay that a response asks for, in milliseconds; 0 when it names none. */
function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? '0');
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : 0;
}

/** How many spans a receiver accepted the request without. */
function rejectedIn(answer: string): number {
  const value = parseJson(answer) as { partialSuccess?: { rejectedSpans?: number | string } } | null | undefined;
  return Number(value?.partialSuccess?.rejectedSpans ?? 0) || 0;
}
