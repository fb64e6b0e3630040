import type { Answers } from '../agents/agent.ts';
import { type AgentEvent, SingletreeError } from '../events/index.ts';
import { type AppendOptions, type EventLog, type Lease, ThreadWriter } from '../log/index.ts';
import { isEndedProcess } from './process-owner.ts';
import { RelayInbox } from '../agents/relay-inbox.ts';

export interface ActiveThreadOptions {
  readonly log: EventLog;
  readonly threadId: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** Told when another process took the thread over, or the lease can no longer be renewed. */
  readonly onLost: (reason: unknown) => void;
}

/** What asks for a run, and the newest event of the thread when it may come after no other. */
export interface Asking {
  readonly event: AgentEvent;
  readonly expectedSeq: number | undefined;
}

const isLeft = new Error('The thread was let go.');

/** A thread with runs in this process: it holds the lease, the one writer, and the relays that wait. */
export class ActiveThread {
  readonly writer: ThreadWriter;
  readonly inbox = new RelayInbox();
  /** Where runs wait for answers. */
  readonly answers: Answers = {
    wait: async (relayId, signal) => {
      await this.expectAnswers();
      return this.inbox.wait(relayId, signal);
    },
  };
  readonly #options: ActiveThreadOptions;
  #expecting: Promise<void> | undefined;
  #stop: AbortController | undefined;
  #lease: Lease;
  #renewal: ReturnType<typeof setInterval>;
  #users = 0;
  #asked: number | undefined;
  #isClosed = false;

  private constructor(options: ActiveThreadOptions, lease: Lease) {
    this.#options = options;
    this.#lease = lease;
    this.writer = new ThreadWriter(options.log, options.threadId, { lease });
    this.#renewal = setInterval(() => void this.#renew(), options.leaseMs / 3);
  }

  /** Takes the thread over, also one that is not there: who writes to it is told. `lease_held` when another process has it. */
  static async open(options: ActiveThreadOptions): Promise<ActiveThread> {
    const { log, threadId, owner, leaseMs } = options;
    const request = { owner, ttlMs: leaseMs, isGone: isEndedProcess };
    const lease = await log.acquireLease(`thread:${threadId}`, request).catch((cause: unknown) => {
      throw SingletreeError.is(cause, 'lease_held') ? runsElsewhere(threadId, cause) : cause;
    });
    return new ActiveThread(options, lease);
  }

  /** The newest event that is known to be in the log. */
  get seq(): number | undefined {
    return this.writer.seq ?? this.#asked;
  }

  /** Appends what asks for a run; when another event came before it, it is refused with `seq_conflict`, for good. */
  async ask({ event, expectedSeq }: Asking, metadata: AppendOptions['metadata'] & object): Promise<void> {
    if (expectedSeq === undefined) return this.writer.write(event, metadata);
    const { log, threadId } = this.#options;
    const { lastSeq } = await log.append(threadId, [event], { expectedSeq, metadata, lease: this.#lease });
    this.#asked = lastSeq;
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** Counts one more run in. */
  enter(): void {
    this.#users++;
  }

  /** Counts a run out; tells whether it was the last one. */
  exit(): boolean {
    return --this.#users === 0;
  }

  /** From when it resolves the inbox takes in what is asked and answered; a run that asks nothing costs nothing. */
  expectAnswers(): Promise<void> {
    return (this.#expecting ??= this.#expect());
  }

  /** Lets go of the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#renewal);
    this.#stop?.abort(isLeft);
    await this.writer.flush().catch(this.#options.onLost);
    await this.#options.log.releaseLease(this.#lease).catch(() => {});
  }

  async #renew(): Promise<void> {
    try {
      this.#lease = await this.#options.log.renewLease(this.#lease, this.#options.leaseMs);
    } catch (error) {
      if (!this.#isClosed) this.#options.onLost(error);
    }
  }

  async #expect(): Promise<void> {
    const { log, threadId } = this.#options;
    this.#stop = new AbortController();
    const after = this.seq ?? (await log.getThread(threadId))?.seq ?? 0;
    void this.#follow(after, this.#stop.signal);
  }

  async #follow(after: number, signal: AbortSignal): Promise<void> {
    try {
      const { log, threadId } = this.#options;
      for await (const event of log.tail(threadId, after, { signal, types: ['relay', 'relay_resolved'] }))
        this.inbox.take(event);
    } catch (error) {
      if (!signal.aborted) this.#options.onLost(error);
    }
  }
}

/** Something runs in a thread, and not here. */
export function runsElsewhere(threadId: string, cause?: SingletreeError): SingletreeError {
  return new SingletreeError(
    'lease_held',
    `What runs in the thread "${threadId}" runs elsewhere: wait for its end, or stop it there.`,
    { details: { threadId, ...cause?.details }, cause },
  );
}
