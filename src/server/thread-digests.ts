import { type EventLog, readEvents, type Thread } from '../log/index.ts';
import { threadDigest, type ThreadDigest } from '../projections/thread-digest.ts';

const mostKept = 2000;

type State = typeof threadDigest.initial;

/** Caches the digests of threads: one that was read before costs only its new events, another one those of a window. */
export class ThreadDigests {
  readonly #log: EventLog;
  /** By when they were used, the latest last. */
  readonly #kept = new Map<string, { readonly state: State; readonly seq: number }>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Returns the digest of a thread; an empty one when it is deleted meanwhile. */
  async of({ id, createdAt, seq: newest }: Pick<Thread, 'id' | 'createdAt' | 'seq'>): Promise<ThreadDigest> {
    // The id of a deleted thread may be used again.
    const key = `${createdAt} ${id}`;
    let { state, seq } = this.#kept.get(key) ?? (await this.#start(id, newest));
    this.#kept.delete(key);
    if (seq < newest)
      try {
        for await (const event of readEvents(this.#log, id, seq)) {
          state = threadDigest.step(state, event);
          seq = event.seq;
        }
      } catch {
        return threadDigest.view(state);
      }
    this.#kept.set(key, { state, seq });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    return threadDigest.view(state);
  }

  /** Begins with the newest outline that is stored, so that a long thread is not read whole. */
  async #start(threadId: string, seq: number): Promise<{ state: State; seq: number }> {
    const outline = await this.#log.outlineAt?.(threadId, seq).catch(() => undefined);
    if (outline === undefined) return { state: threadDigest.initial, seq: 0 };
    const begun = outline.events.reduce(threadDigest.step, threadDigest.initial);
    return { state: { ...begun, usage: outline.usage }, seq: outline.seq };
  }
}
