import { SingletreeError } from '../events/index.ts';
import { type EventLog, type Lease, ThreadWriter } from '../log/index.ts';
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

const isLeft = new Error('The thread was let go.');

/** A thread with runs in this process: it holds the lease, the one writer, and the relays that wait. */
export class ActiveThread {
  readonly writer: ThreadWriter;
  readonly inbox = new RelayInbox();
  readonly #options: ActiveThreadOptions;
  readonly #stop = new AbortController();
  #lease: Lease;
  #renewal: ReturnType<typeof setInterval>;
  #users = 0;

  private constructor(options: ActiveThreadOptions, lease: Lease, seq: number) {
    this.#options = options;
    this.#lease = lease;
    this.writer = new ThreadWriter(options.log, options.threadId, { lease });
    this.#renewal = setInterval(() => void this.#renew(), options.leaseMs / 3);
    void this.#follow(seq);
  }

  /** Takes the thread over; `lease_held` when another process has it. */
  static async open(options: ActiveThreadOptions): Promise<ActiveThread> {
    const { log, threadId, owner, leaseMs } = options;
    const lease = await log.acquireLease(`thread:${threadId}`, { owner, ttlMs: leaseMs, isGone: isEndedProcess });
    try {
      const thread = await log.getThread(threadId);
      if (thread === undefined)
        throw new SingletreeError('thread_not_found', `There is no thread "${threadId}": create it first.`, {
          details: { threadId },
        });
      return new ActiveThread(options, lease, thread.seq);
    } catch (error) {
      await log.releaseLease(lease);
      throw error;
    }
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

  /** Lets go of the thread. */
  async close(): Promise<void> {
    clearInterval(this.#renewal);
    this.#stop.abort(isLeft);
    await this.writer.flush().catch(this.#options.onLost);
    await this.#options.log.releaseLease(this.#lease).catch(() => {});
  }

  async #renew(): Promise<void> {
    try {
      this.#lease = await this.#options.log.renewLease(this.#lease, this.#options.leaseMs);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#options.onLost(error);
    }
  }

  async #follow(after: number): Promise<void> {
    try {
      const { log, threadId } = this.#options;
      const tail = log.tail(threadId, after, { signal: this.#stop.signal, types: ['relay', 'relay_resolved'] });
      for await (const event of tail) this.inbox.take(event);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#options.onLost(error);
    }
  }
}
