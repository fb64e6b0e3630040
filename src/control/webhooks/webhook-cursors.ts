import * as z from 'zod';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';

const stored = z.looseObject({
  floor: z.string().optional(),
  cursors: z.record(z.string(), z.int().min(0)).optional(),
});

/** How long the cursor of a thread that is delivered is kept after its last change. */
const keptMs = 10 * 60 * 1000;
/** How long after its timestamp an event of a thread without a cursor can be stored. */
const lateMs = 60_000;

/**
 * Stores how far the events of each thread are delivered, in the metadata of a separate thread. In a thread without a
 * cursor everything before `floor` is delivered.
 */
export class WebhookCursors {
  readonly threadId: string;
  readonly #log: EventLog;
  readonly #seqs = new Map<string, number>();
  /** When threads with a cursor were listed as changed last. */
  readonly #changedAt = new Map<string, string>();
  #floor = '';
  #isSaved = true;

  constructor(log: EventLog, name: string) {
    this.#log = log;
    this.threadId = `webhook-${name}`;
  }

  get floor(): string {
    return this.#floor;
  }

  /** Loads the stored cursors; without any they start at `since`. Returns the threads that have one. */
  async load(since: string): Promise<readonly string[]> {
    const thread = (await this.#log.getThread(this.threadId)) ?? (await this.#create());
    const { floor = since, cursors = {} } = stored.parse(thread.metadata);
    this.#floor = floor;
    this.#seqs.clear();
    for (const [threadId, seq] of Object.entries(cursors)) this.#seqs.set(threadId, seq);
    return [...this.#seqs.keys()];
  }

  get(threadId: string): number | undefined {
    return this.#seqs.get(threadId);
  }

  set(threadId: string, seq: number): void {
    this.#seqs.set(threadId, seq);
    this.#isSaved = false;
  }

  delete(threadId: string): void {
    this.#seqs.delete(threadId);
    this.#changedAt.delete(threadId);
    this.#isSaved = false;
  }

  /** Takes when a thread changed last. */
  note({ id, updatedAt }: Thread): void {
    this.#changedAt.set(id, updatedAt);
  }

  /** Drops the cursors of threads that have not changed for long, unless they are still to be delivered. */
  prune(now: number, isPending: (threadId: string) => boolean): void {
    const floor = new Date(now - keptMs - lateMs).toISOString();
    if (floor <= this.#floor) return;
    const unchangedSince = new Date(now - keptMs).toISOString();
    for (const threadId of this.#seqs.keys())
      if ((this.#changedAt.get(threadId) ?? '') < unchangedSince && !isPending(threadId)) this.delete(threadId);
    this.#floor = floor;
  }

  /** Stores the cursors when they changed. */
  async save(): Promise<void> {
    if (this.#isSaved) return;
    this.#isSaved = true;
    const metadata = { floor: this.#floor, cursors: Object.fromEntries(this.#seqs) };
    try {
      await this.#log.updateThread(this.threadId, { metadata });
    } catch (error) {
      this.#isSaved = false;
      throw error;
    }
  }

  async #create(): Promise<Thread> {
    try {
      const title = 'Delivered to a webhook';
      const metadata = { isArchived: true };
      return await this.#log.createThread({ id: this.threadId, resourceId: 'webhooks', title, metadata });
    } catch (error) {
      // Another process was faster.
      const thread = await this.#log.getThread(this.threadId);
      if (thread !== undefined) return thread;
      throw error instanceof Error ? error : new SingletreeError('invalid_argument', String(error));
    }
  }
}
