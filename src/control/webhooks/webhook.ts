import * as z from 'zod';
import { createHmac } from 'node:crypto';
import { postPublic, isPrivateAddress } from '../../agents/tools/web/public-request.ts';
import { backgroundClock, type Clock } from '../../agents/clock.ts';
import { readRedacted } from '../../agents/redaction/read-redacted.ts';
import { createRedactor, type Redactor } from '../../agents/redaction/redactor.ts';
import { getDefinition, type EventType, type LoggedEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { callback, clock, eventLog, field, milliseconds, name } from '../../base/options/option-fields.ts';
import { findStart } from '../../log/event-pages.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog, Lease, Thread } from '../../log/event-log.ts';
import { inheritedSeq } from '../../log/own-events.ts';
import { ignoreDiagnostic, type OnDiagnostic } from '../../base/diagnostics.ts';
import { isEndedProcess, processOwner } from '../supervision/leases.ts';
import { WebhookCursors } from './webhook-cursors.ts';

export interface WebhookTarget {
  readonly url: string;
  readonly secret: string;
  readonly allowHosts: readonly string[];
  readonly timeoutMs: number;
}

/** A request that was not accepted; `retryMs` is the delay that the receiver asks for. */
class WebhookRefused extends Error {
  readonly retryMs: number;

  constructor(status: number, retryMs: number) {
    super(`The receiver answered ${status}.`);
    this.name = 'WebhookRefused';
    this.retryMs = retryMs;
  }
}

/** The longest delay that a receiver can ask for. */
const longestRetryMs = 60 * 60 * 1000;

/** Posts a signed body; rejects unless the receiver answers with a success. Redirects are not followed. */
async function postWebhook(
  { url, secret, allowHosts, timeoutMs }: WebhookTarget,
  { key, body, seconds, signal }: { key: string; body: string; seconds: number; signal: AbortSignal },
): Promise<void> {
  const response = await postPublic(url, {
    allowHosts,
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    headers: {
      'content-type': 'application/json',
      'idempotency-key': key,
      'singletree-signature': `t=${seconds},v1=${sign(secret, seconds, body)}`,
    },
  });
  // The content of the answer does not matter, however long it is.
  response.destroy();
  const { statusCode = 0, headers } = response;
  if (statusCode >= 200 && statusCode < 300) return;
  const asked = Number(headers['retry-after'] ?? 0) * 1000;
  throw new WebhookRefused(statusCode, Number.isFinite(asked) ? Math.min(longestRetryMs, Math.max(0, asked)) : 0);
}

/** The HMAC of the time and the body: a body cannot be changed, and an old one not be sent again unnoticed. */
function sign(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}

export interface WebhookOptions {
  readonly log: EventLog;
  /**
   * Names its cursors in the store: a webhook with the same name continues where the last one stopped, in any process.
   */
  readonly name: string;
  /** Where events are posted. */
  readonly url: string;
  /** Signs each request. */
  readonly secret: string;
  /** Only events of these types; all by default. */
  readonly types?: readonly EventType[];
  /** Only threads of this resource; all by default. */
  readonly resourceId?: string;
  /** The time from which on events are sent, ISO 8601, when nothing was sent yet under this name; now by default. */
  readonly since?: string;
  /** Hosts of private networks that may be used, as written in a URL: `localhost:8080`. */
  readonly allowHosts?: readonly string[];
  /** Secret values: they are replaced in requests. */
  readonly secrets?: readonly string[];
  /** How many requests may be under way at once, each of another thread; 8 by default. */
  readonly concurrency?: number;
  /** How long a request may take, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  /** How often the store is asked for threads that changed, in milliseconds; 500 by default. */
  readonly everyMs?: number;
  /** Receives failures, which are retried; ignored by default. */
  readonly onDiagnostic?: OnDiagnostic;
  /** Times lookups and retries; the machine's clock by default. */
  readonly clock?: Clock;
}

const isTypeList = (value: unknown) =>
  Array.isArray(value) && value.every(type => typeof type === 'string' && getDefinition(type) !== undefined);
const isTime = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isHttpUrl = (value: unknown) => typeof value === 'string' && /^https?:\/\/./.test(value) && URL.canParse(value);

const checkOptions = optionsCheck<WebhookOptions>('new Webhook')(() => ({
  log: eventLog(),
  name: field(
    value => typeof value === 'string' && /^[\w.-]{1,100}$/.test(value),
    'up to 100 letters, digits, ".", "_" and "-"',
  ),
  url: field(isHttpUrl, 'the address of a receiver, such as "https://example.com/hooks"'),
  secret: field(value => typeof value === 'string' && value.length >= 16, 'a secret of at least 16 characters'),
  types: field(isTypeList, 'a list of types of events').optional(),
  resourceId: name().optional(),
  since: field(isTime, 'a time such as "2026-01-31T12:00:00Z"').optional(),
  allowHosts: z.array(z.string()).optional(),
  secrets: z.array(z.string()).optional(),
  concurrency: z.int().min(1).max(100).optional(),
  timeoutMs: milliseconds().optional(),
  everyMs: milliseconds().optional(),
  onDiagnostic: callback().optional(),
  clock: clock().optional(),
}));

const leaseMs = 15_000;
const partSize = 100;
const partBytes = 1024 * 1024;
const firstWaitMs = 1_000;
const longestWaitMs = 5 * 60 * 1000;
/** Times of processes and of the store may differ by this much, and a thread be listed as changed slightly too early. */
const slackMs = 2_000;

/**
 * Posts the events of all threads to a receiver: in order within a thread, each at least once, including those that
 * were appended while no process ran. It reads the store, so no run waits for it. One process at a time sends under a
 * name.
 */
export class Webhook {
  readonly #options: WebhookOptions;
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #redactor: Redactor;
  readonly #cursors: WebhookCursors;
  readonly #types: ReadonlySet<string> | undefined;
  readonly #owner = processOwner();
  readonly #closing = new AbortController();
  /** Aborts pending requests when another process has taken the lease. */
  #lost = new AbortController();
  #lease: Lease | undefined;
  #renewAt = 0;
  /** The threads with events to send, in the order of their turns. */
  readonly #ready = new Set<string>();
  readonly #sending = new Map<string, Promise<void>>();
  /** The threads whose last request failed: the number of failures, and a function that cancels the wait. */
  readonly #failed = new Map<string, { readonly times: number; readonly cancel: () => void }>();
  #lookedAt = '';
  #working: Promise<void> | undefined;

  /** Throws `invalid_argument` for options that are unknown, missing or invalid. */
  constructor(options: WebhookOptions) {
    checkOptions(options);
    const { url, allowHosts = [] } = options;
    const { host, hostname } = new URL(url);
    if (!allowHosts.includes(host) && (hostname === 'localhost' || isPrivateAddress(new URL(url))))
      throw new SingletreeError(
        'invalid_argument',
        `new Webhook: ${host} is an address of this machine or its network. Name it: \`allowHosts: ['${host}']\`.`,
      );
    this.#options = options;
    this.#log = options.log;
    this.#clock = options.clock ?? backgroundClock;
    this.#redactor = createRedactor(options.secrets ?? []);
    this.#cursors = new WebhookCursors(options.log, options.name);
    this.#types = options.types && new Set(options.types);
  }

  /** Begins to send, as soon as no other process does. */
  start(): void {
    this.#working ??= this.#work();
  }

  /** Stops sending: waits up to 3 seconds for pending requests, and stores the cursors. */
  async close(): Promise<void> {
    this.#closing.abort();
    const cancel = this.#clock.after(3_000, () => this.#lost.abort());
    await this.#working;
    cancel();
  }

  async #work(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#hold();
        await this.#look();
        await this.#cursors.save();
        await this.#wait(this.#options.everyMs ?? 500);
      } catch (error) {
        if (SingletreeError.is(error, 'lease_lost') || SingletreeError.is(error, 'lease_held')) this.#release();
        else this.#report(error);
        await this.#wait(firstWaitMs);
      }
    }
    await Promise.all(this.#sending.values());
    this.#release();
    // Events without a stored cursor are sent again, and a lease that is not released expires.
    await this.#cursors.save().catch((error: unknown) => this.#report(error));
    if (this.#lease !== undefined)
      await this.#log.releaseLease(this.#lease).catch((error: unknown) => this.#report(error));
  }

  /** Acquires the lease and loads the stored cursors, or renews the lease in time. */
  async #hold(): Promise<void> {
    const { name: of, since } = this.#options;
    if (this.#lease !== undefined) {
      if (this.#now() < this.#renewAt) return;
      this.#renewAt = this.#now() + leaseMs / 3;
      this.#lease = await this.#log.renewLease(this.#lease, leaseMs);
      return;
    }
    const request = { owner: this.#owner, ttlMs: leaseMs, isGone: isEndedProcess };
    const lease = await this.#log.acquireLease(`webhook:${of}`, request);
    const now = new Date(since ?? this.#now()).toISOString();
    for (const threadId of await this.#cursors.load(now)) this.#ready.add(threadId);
    this.#lookedAt = this.#cursors.floor;
    this.#lost = new AbortController();
    this.#renewAt = this.#now() + leaseMs / 3;
    this.#lease = lease;
  }

  /** Aborts pending requests. */
  #release(): void {
    this.#lost.abort();
    this.#ready.clear();
    for (const { cancel } of this.#failed.values()) cancel();
    this.#failed.clear();
    if (!this.#closing.signal.aborted) this.#lease = undefined;
  }

  /** Finds the threads that changed since the last check: the store lists them first. */
  async #look(): Promise<void> {
    const { resourceId } = this.#options;
    const began = this.#now();
    const from = new Date(Date.parse(this.#lookedAt) - slackMs).toISOString();
    for await (const thread of allThreads(this.#log, { resourceId })) {
      if (thread.updatedAt < from) break;
      if (thread.id === this.#cursors.threadId) continue;
      this.#cursors.note(thread);
      const cursor = this.#cursors.get(thread.id) ?? (await this.#begin(thread));
      if (thread.seq > cursor && !this.#failed.has(thread.id)) this.#ready.add(thread.id);
    }
    this.#lookedAt = new Date(began).toISOString();
    this.#cursors.prune(began, id => this.#ready.has(id) || this.#sending.has(id) || this.#failed.has(id));
    this.#sendNext();
  }

  /**
   * Finds the first event to send in a thread without a cursor; imported events and those of a branch's origin are
   * skipped.
   */
  async #begin(thread: Thread): Promise<number> {
    const start = Math.max(inheritedSeq(thread), await findStart(this.#log, thread, this.#cursors.floor));
    this.#cursors.set(thread.id, start);
    return start;
  }

  #sendNext(): void {
    const { concurrency = 8 } = this.#options;
    for (const threadId of this.#ready) {
      if (this.#sending.size >= concurrency || this.#lost.signal.aborted || this.#closing.signal.aborted) return;
      if (this.#sending.has(threadId)) continue;
      this.#ready.delete(threadId);
      const sending = this.#send(threadId).finally(() => {
        this.#sending.delete(threadId);
        this.#sendNext();
      });
      this.#sending.set(threadId, sending);
    }
  }

  /** Sends some events of a thread in order; the rest has its turn after other threads. */
  async #send(threadId: string): Promise<void> {
    const { signal } = this.#lost;
    try {
      const thread = await this.#log.getThread(threadId);
      if (thread === undefined) {
        this.#failed.delete(threadId);
        return this.#cursors.delete(threadId);
      }
      const after = this.#cursors.get(threadId) ?? thread.seq;
      const source = { log: this.#log, redactor: this.#redactor };
      const range = { after, limit: partSize, maxBytes: partBytes };
      for (const event of await readRedacted(source, threadId, range)) {
        if (this.#types?.has(event.type) !== false) await this.#post(thread, event, signal);
        if (signal.aborted) return;
        this.#failed.delete(threadId);
        this.#cursors.set(threadId, event.seq);
        if (this.#closing.signal.aborted) return;
      }
      if ((this.#cursors.get(threadId) ?? 0) < thread.seq) this.#ready.add(threadId);
    } catch (error) {
      if (!signal.aborted) this.#retry(threadId, error);
    }
  }

  #post({ id, resourceId }: Thread, event: LoggedEvent, signal: AbortSignal): Promise<void> {
    const { url, secret, allowHosts = [], timeoutMs = 10_000 } = this.#options;
    const body = this.#redactor.json(JSON.stringify({ threadId: id, resourceId, event }));
    const key = `${encodeURIComponent(id)}:${event.seq}`;
    const seconds = Math.floor(this.#now() / 1000);
    return postWebhook({ url, secret, allowHosts, timeoutMs }, { key, body, seconds, signal });
  }

  /** Gives a thread another turn after a delay that doubles with each failure. */
  #retry(threadId: string, error: unknown): void {
    const times = (this.#failed.get(threadId)?.times ?? 0) + 1;
    const doubled = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(times - 1, 20));
    const asked = error instanceof WebhookRefused ? error.retryMs : 0;
    const cancel = this.#clock.after(Math.max(asked, doubled * (0.5 + Math.random() / 2)), () => {
      this.#ready.add(threadId);
      this.#sendNext();
    });
    this.#failed.set(threadId, { times, cancel });
    this.#report(error, threadId);
  }

  #report(cause: unknown, threadId?: string): void {
    const { onDiagnostic = ignoreDiagnostic } = this.#options;
    onDiagnostic({ code: 'webhook_failed', cause, ...(threadId !== undefined && { threadId }) });
  }

  #now(): number {
    return this.#log.now?.() ?? this.#clock.now();
  }

  /** Resolves after that many milliseconds, or when it is closed. */
  #wait(ms: number): Promise<void> {
    const { signal } = this.#closing;
    return new Promise(resolve => {
      if (signal.aborted) return resolve();
      const cancel = this.#clock.after(ms, done);
      signal.addEventListener('abort', done, { once: true });
      function done(): void {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}
