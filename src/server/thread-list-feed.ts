import type { EventLog, Thread } from '../log/event-log.ts';
import type { ThreadInfo } from '../protocols/http-api.ts';

/** The changes in the thread list since the previous poll. */
export interface ListChange {
  readonly changed: readonly ThreadInfo[];
  readonly deleted: readonly { readonly id: string; readonly resourceId: string }[];
}

export interface ThreadListFeedOptions {
  readonly log: EventLog;
  readonly describe: (thread: Thread) => Promise<ThreadInfo>;
  /** The polling interval while a listener is subscribed; 500 ms when absent. */
  readonly everyMs?: number;
}

interface Known {
  readonly thread: Thread;
  /** Its visible fields as JSON text. */
  readonly shown: string;
}

/** The number of newest threads that are compared individually to detect deletions by any process. */
const comparedThreads = 100;
/** Clocks of servers that share a store may differ by this much. */
const clockSlackMs = 2000;

/**
 * Reports changes in the list of threads by any server. It polls: the store orders threads by their last change, so one
 * short query finds all changes. Notifications would need a tail for each thread, because a store announces appends per
 * thread (`tail`, a topic of its feed) and does not announce changes of titles and metadata. Polls only while it has
 * listeners.
 */
export class ThreadListFeed {
  readonly #options: ThreadListFeedOptions;
  readonly #listeners = new Set<(change: ListChange) => void>();
  /** The newest threads of the last look; undefined before the first. */
  #known: Map<string, Known> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(options: ThreadListFeedOptions) {
    this.#options = options;
  }

  /** Calls back with each change from now on. Resolves with an unsubscribe function once the feed looks. */
  async join(listener: (change: ListChange) => void): Promise<() => void> {
    const own = (change: ListChange) => listener(change);
    const isFirst = this.#listeners.size === 0;
    this.#listeners.add(own);
    if (isFirst) {
      this.#known = undefined;
      await this.#look();
      this.#stopWatching = this.#options.log.onDeleted?.(threadId => this.#reportDeleted(threadId));
      this.#plan();
    }
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    };
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => {
      // A failing store is polled again later.
      void this.#look()
        .catch(() => {})
        .finally(() => this.#plan());
    }, this.#options.everyMs ?? 500).unref();
  }

  async #look(): Promise<void> {
    const before = this.#known ?? new Map<string, Known>();
    const known = new Map<string, Known>();
    const changed: ThreadInfo[] = [];
    for await (const thread of this.#newest(before)) {
      const last = before.get(thread.id);
      if (last !== undefined && isSame(last.thread, thread)) {
        known.set(thread.id, last);
        continue;
      }
      const info = await this.#options.describe(thread);
      const shown = toShown(info);
      known.set(thread.id, { thread, shown });
      if (this.#known !== undefined && shown !== last?.shown) changed.push(info);
    }
    const deleted = [...before.values()].flatMap(({ thread }) => (isGone(thread, known) ? [thread] : []));
    this.#known = known;
    this.#report({ changed, deleted });
  }

  /** The threads to compare: the newest ones, and further ones as long as they may have changed since. */
  async *#newest(before: ReadonlyMap<string, Known>): AsyncGenerator<Thread> {
    const [newest] = before.values();
    const since = newest && new Date(Date.parse(newest.thread.updatedAt) - clockSlackMs).toISOString();
    for (let after: Thread | undefined; ; ) {
      const page = await this.#options.log.listThreads({ limit: comparedThreads, ...(after && { after }) });
      yield* page;
      after = page.at(-1);
      if (after === undefined || page.length < comparedThreads || since === undefined || after.updatedAt < since)
        return;
    }
  }

  #reportDeleted(threadId: string): void {
    const { thread } = this.#known?.get(threadId) ?? {};
    this.#known?.delete(threadId);
    if (thread !== undefined) this.#report({ changed: [], deleted: [thread] });
  }

  #report(change: ListChange): void {
    if (change.changed.length + change.deleted.length === 0) return;
    for (const listener of this.#listeners) listener(change);
  }
}

/** Whether a thread that was listed is missing where it would be. */
function isGone(thread: Thread, known: ReadonlyMap<string, Known>): boolean {
  if (known.has(thread.id)) return false;
  const last = [...known.values()].at(-1)?.thread;
  return last === undefined || known.size < comparedThreads || thread.updatedAt > last.updatedAt;
}

function isSame(a: Thread, b: Thread): boolean {
  return a.seq === b.seq && a.updatedAt === b.updatedAt && a.createdAt === b.createdAt;
}

/** Returns the visible fields of a thread as JSON; ignores new events of a running thread. */
function toShown({ seq, updatedAt, ...info }: ThreadInfo): string {
  const shown = { ...info, metadata: undefined };
  return JSON.stringify(info.status === 'running' ? shown : { ...shown, seq, updatedAt });
}
