import { defined } from '../../base/defined.ts';
import type { Answers } from '../../agents/contract/host.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { isStoreUnavailable, SingletreeError } from '../../base/singletree-error.ts';
import { type RunAdditions, storedAdditions } from '../../events/run-additions.ts';
import type { AppendOptions, EventLog, Lease, RawLine } from '../../log/event-log.ts';
import { ThreadWriter } from '../../log/thread-writer.ts';
import { lateResults } from './lost-calls.ts';
import { isEndedProcess, renewalMs, threadLease } from './leases.ts';
import { RelayInbox } from '../../agents/relay-inbox.ts';
import type { OpenRun } from './open-runs.ts';
import { closeRelay, RelayExpiry } from './resolve-relay.ts';
import { backgroundClock, type Clock, systemClock } from '../../agents/clock.ts';
import { OutageReports, StoreOutage } from './store-outage.ts';
import { turnShare } from './turn-share.ts';
import { errorText } from '../../base/error-text.ts';

export interface ActiveThreadsOptions {
  readonly log: EventLog;
  readonly owner: string;
  readonly leaseMs: number;
  /** Times the expiry of relays. */
  readonly clock: Clock;
  /** Writes a line for the person who runs the process. */
  readonly report: (line: string) => void;
  /** Called when the waiting messages of a thread changed. */
  readonly onQueue: (threadId: string) => void;
  /** No thread is opened after it aborted. */
  readonly signal: AbortSignal;
}

interface ActiveThreadOptions extends ActiveThreadsOptions {
  readonly threadId: string;
  readonly outages: OutageReports;
}

/** A run of a thread in this process. */
export interface ThreadRun {
  readonly runId: string;
  mark(event: AgentEvent): void;
  abort(): void;
  detach(): void;
  stopChild(runId: string): boolean;
}

/** The events to append with the request of a run, and the conditions for appending them. */
export interface RunRequest {
  /** The message that the run answers, when it is a new one. */
  readonly event?: AgentEvent;
  /** Appended together with it, before it. */
  readonly before?: readonly AgentEvent[];
  /** Appended together with it, after it. */
  readonly after?: readonly AgentEvent[];
  readonly expectedSeq?: number | undefined;
  /** The key under which it is appended once. */
  readonly once?: string | undefined;
  readonly metadata?: AppendOptions['metadata'] | undefined;
  /** Whether it may run in parallel with another run of the thread. */
  readonly parallel?: boolean | undefined;
  /** The additions of the requesting client to its agent. */
  readonly additions?: RunAdditions | undefined;
}

const isClosed = new Error('The thread was closed.');

/** How long a run lasts before its process listens for requests of other processes; short runs need no listener. */
const listenAfterMs = 200;

/** A thread with runs in this process: it holds the lease, the only writer, and the pending relays. */
export class ActiveThread {
  readonly writer: ThreadWriter;
  readonly runs = new Set<ThreadRun>();
  /** How many runs use it, or are about to. */
  users = 0;
  readonly inbox = new RelayInbox();
  /** Where runs wait for answers. */
  readonly answers: Answers = {
    wait: async (relayId, signal) => {
      await this.startListening();
      return this.inbox.wait(relayId, signal);
    },
    cancel: (relay, reason) => closeRelay(this, relay, { outcome: 'cancelled', feedback: reason }),
  };
  readonly #options: ActiveThreadOptions;
  readonly #outage: StoreOutage;
  readonly #expiry: RelayExpiry;
  readonly #stop = new AbortController();
  readonly #cancelListening: () => void;
  #listening: Promise<void> | undefined;
  #lease: Lease;
  #renewal: ReturnType<typeof setInterval>;
  /** The reason why this process can no longer serve it. */
  #loss: { readonly reason: unknown } | undefined;
  /** The newest event when its first run began: later events concern its runs. */
  #start: number | undefined;
  #requestSeq = 0;

  private constructor(options: ActiveThreadOptions, lease: Lease) {
    this.#options = options;
    this.#lease = lease;
    const { log, clock, threadId, outages } = options;
    this.#outage = new StoreOutage({
      clock: systemClock,
      onBegin: error => outages.begin(threadId, error),
      onEnd: (error, milliseconds) => this.#endOutage(error, milliseconds),
    });
    this.#expiry = new RelayExpiry({
      log,
      clock,
      expire: relay => closeRelay(this, relay, { outcome: 'expired' }),
      onFailure: error => this.#detachAfter(error),
    });
    const perform: StoreOutage['write'] = write => this.#outage.write(write);
    const schedule = (ms: number, run: () => void) => turnShare.after(systemClock, ms, run);
    this.writer = new ThreadWriter(log, threadId, { lease, perform, schedule });
    this.#renewal = setInterval(() => void this.#renew(), renewalMs(options.leaseMs));
    const listen = () => void this.startListening().catch((error: unknown) => this.#detachAfter(error));
    this.#cancelListening = turnShare.after(backgroundClock, listenAfterMs, listen);
  }

  /** Acquires the lease of a thread, which need not exist. Throws `lease_held` when another process holds it. */
  static async open(options: ActiveThreadOptions): Promise<ActiveThread> {
    const { log, threadId, owner, leaseMs: ttlMs } = options;
    const request = { owner, ttlMs, isGone: isEndedProcess };
    const lease = await log.acquireLease(threadLease(threadId), request).catch((cause: unknown) => {
      throw SingletreeError.is(cause, 'lease_held') ? runsElsewhere(threadId, cause) : cause;
    });
    return new ActiveThread(options, lease);
  }

  /** The newest event that is known to be in the log. */
  get seq(): number | undefined {
    return Math.max(this.writer.seq ?? 0, this.#requestSeq) || undefined;
  }

  /**
   * Appends the request of a run, and the message that it answers; rejects with `seq_conflict` when another event came first, with
   * `once_conflict` when its key was used before, and at once when the log cannot be written.
   */
  async appendRequest(
    { runId, agentId, parentId, model }: OpenRun,
    { event, before = [], after = [], expectedSeq, once, metadata, additions }: RunRequest,
  ): Promise<void> {
    if (this.#outage.error !== undefined) throw this.#outage.error;
    if (expectedSeq === undefined) await this.writer.flush();
    const { log, threadId } = this.#options;
    const options = { lease: this.#lease, ...defined({ expectedSeq, once, metadata }) };
    const added = defined({ model, additions: additions && storedAdditions(additions) });
    const requested: AgentEvent = { type: 'run_requested', runId, agentId, parentId, ...added };
    const events = [...before, ...(event === undefined ? [] : [event]), ...after, requested];
    const { lastSeq } = await log.append(threadId, events, options);
    this.#requestSeq = lastSeq;
    this.#start ??= lastSeq;
  }

  /** Appends events outside the writer; waits while the log cannot be written. */
  async append(events: readonly AgentEvent[], options: AppendOptions): Promise<void> {
    const { log, threadId } = this.#options;
    await this.#outage.write(() => log.append(threadId, events, { ...options, lease: this.#lease }));
  }

  /** Appends a raw line of a run; waits while the log cannot be written. */
  async appendRaw(runId: string, line: RawLine): Promise<void> {
    const { log, threadId } = this.#options;
    await this.#outage.write(() => log.appendRaw(threadId, runId, [line], { lease: this.#lease }));
  }

  /** Throws the reason why this process can no longer serve the thread: a new run would receive no answers. */
  checkServed(): void {
    if (this.#loss !== undefined) throw this.#loss.reason as Error;
  }

  /** Takes an event of its runs: relays wait in the inbox until they are answered or expire. */
  take(event: AgentEvent): void {
    this.inbox.take(event);
    if (event.type === 'relay_resolved') this.#expiry.end(event.relayId);
    else if (event.type === 'relay' && this.inbox.pendingOf(event.runId).some(({ id }) => id === event.id))
      this.#expiry.watch(event);
  }

  /** Resolves when the inbox receives relays and answers, and abort requests are received. */
  startListening(): Promise<void> {
    return (this.#listening ??= this.#listen());
  }

  /** Closes the thread and releases its lease. */
  async close(): Promise<void> {
    clearInterval(this.#renewal);
    this.#cancelListening();
    this.#stop.abort(isClosed);
    this.#expiry.close();
    this.#outage.close();
    await this.writer.flush().catch((reason: unknown) => this.#lose(reason));
    await this.#options.log.releaseLease(this.#lease).catch(() => {}); // It ends by itself.
    this.#options.outages.close(this.#options.threadId);
  }

  /** Detaches the runs and logs a warning for each call that finished here after the lease was lost. */
  async #lose(reason: unknown): Promise<void> {
    const { log, threadId } = this.#options;
    this.#detachRuns(reason);
    const late = SingletreeError.is(reason, 'lease_lost') ? lateResults(this.writer.unwritten) : [];
    // The new owner reports these calls as lost when they cannot be added.
    if (late.length > 0) await log.append(threadId, late).catch(() => {});
  }

  /** A failed renewal of an unavailable store is retried: no other process can take over during the outage. */
  async #renew(): Promise<void> {
    try {
      this.#lease = await this.#options.log.renewLease(this.#lease, this.#options.leaseMs);
    } catch (error) {
      if (!isStoreUnavailable(error)) this.#detachAfter(error);
    }
  }

  async #listen(): Promise<void> {
    const { log, threadId } = this.#options;
    const after = this.#start ?? (await log.getThread(threadId))?.seq ?? 0;
    void this.#follow(after, this.#stop.signal);
  }

  async #follow(after: number, signal: AbortSignal): Promise<void> {
    try {
      const { log, threadId, onQueue } = this.#options;
      const types = ['relay', 'relay_resolved', 'abort_requested', 'message_queued', 'message_changed'] as const;
      for await (const event of log.tail(threadId, after, { signal, types })) {
        if (event.type === 'abort_requested') this.#abort(event.runId);
        else if (event.type === 'message_queued' || event.type === 'message_changed') onQueue(threadId);
        else this.take(event);
      }
    } catch (error) {
      this.#detachAfter(error);
    }
  }

  /** Detaches the runs of a thread that this process can no longer serve; another process resumes them. */
  #detachAfter(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#loss ??= { reason: error };
    this.#detachRuns(error);
  }

  #detachRuns(reason: unknown): void {
    const { threadId, report } = this.#options;
    const isExpected = (['lease_lost', 'thread_not_found', 'log_closed'] as const).some(code =>
      SingletreeError.is(reason, code),
    );
    if (!isExpected) report(`The runs of the thread "${threadId}" are detached: ${errorText(reason)}`);
    for (const run of this.runs) run.detach();
  }

  /** Aborts a run, or the subagent of one, as any process requested. */
  #abort(runId: string): void {
    const run = [...this.runs].find(each => each.runId === runId);
    if (run !== undefined) return run.abort();
    for (const each of this.runs) each.stopChild(runId);
  }

  /** Reports an outage that has ended to the person, and in the log of each run that waited. */
  #endOutage({ code, message: why }: SingletreeError, milliseconds: number): void {
    this.#options.outages.end(this.#options.threadId);
    const message = `The run waited ${Math.ceil(milliseconds / 1000)} s because the log could not be written: ${why}`;
    for (const run of this.runs) run.mark({ type: 'warning', runId: run.runId, code, message });
  }
}

/** Creates a `lease_held` error: another process runs the thread. */
export function runsElsewhere(threadId: string, cause?: SingletreeError): SingletreeError {
  return new SingletreeError(
    'lease_held',
    `Another process runs the thread "${threadId}". Wait until its run ends, or abort it.`,
    { details: { threadId, ...cause?.details }, cause },
  );
}

/** The error for a run that would begin after `close`. */
export function supervisorClosed(): SingletreeError {
  return new SingletreeError('log_closed', 'The supervisor is closed. Create a new one.');
}

/** The threads with active runs of this process: each is opened once, and closed after its last run. */
export class ActiveThreads {
  readonly #options: ActiveThreadsOptions;
  readonly #threads = new Map<string, Promise<ActiveThread>>();
  readonly #outages: OutageReports;

  constructor(options: ActiveThreadsOptions) {
    this.#options = options;
    this.#outages = new OutageReports(options.report);
  }

  has(threadId: string): boolean {
    return this.#threads.has(threadId);
  }

  /** Resolves when everything that runs of this process wrote to a thread is in the log. */
  async flush(threadId: string): Promise<void> {
    const thread = await this.#threads.get(threadId);
    await thread?.writer.flush();
  }

  /** Enters a thread, which is opened when it is not active; rejects when another process owns it. */
  async acquire(threadId: string): Promise<ActiveThread> {
    if (this.#options.signal.aborted) throw supervisorClosed();
    let opening = this.#threads.get(threadId);
    if (opening === undefined) {
      opening = ActiveThread.open({ ...this.#options, threadId, outages: this.#outages });
      this.#threads.set(threadId, opening);
      opening.catch(() => this.#threads.delete(threadId));
    }
    const thread = await opening;
    thread.checkServed();
    thread.users++;
    return thread;
  }

  /** Leaves a thread; the last one closes it. */
  async release(threadId: string, thread: ActiveThread): Promise<void> {
    if (--thread.users > 0) return;
    this.#threads.delete(threadId);
    await thread.close();
  }
}
