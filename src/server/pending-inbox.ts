import { openRunsOf } from '../control/supervision/open-runs.ts';
import { defined } from '../events/defined.ts';
import { allThreads, type EventLog, type Thread } from '../log/index.ts';
import type { RelayEntry } from '../projections/index.ts';
import { RelayBooks } from '../control/supervision/relay-books.ts';
import type { Scope } from './security/access.ts';
import type { ThreadDigests } from './thread-digests.ts';

/** A relay with its thread. */
export interface ThreadRelay extends RelayEntry {
  readonly threadId: string;
  /** The title of the thread. */
  readonly title?: string;
  /** The agent that asks. */
  readonly agentId?: string;
}

/** How many threads are read for one page of decisions. */
const threadsPerPage = 100;

/** The relays of all threads: those that wait for people, and what was decided. */
export class PendingInbox {
  readonly #log: EventLog;
  readonly #books: RelayBooks;
  readonly #digests: ThreadDigests;

  constructor(log: EventLog, digests: ThreadDigests) {
    this.#log = log;
    this.#digests = digests;
    this.#books = new RelayBooks(log);
  }

  /** Returns the pending relays of all threads that a request may see, oldest first. */
  async all({ resourceId }: Scope): Promise<ThreadRelay[]> {
    const waiting: ThreadRelay[] = [];
    for await (const { thread, entry } of this.#books.pending(resourceId))
      waiting.push(await this.#relayOf(thread, entry));
    return waiting.toSorted(bySince);
  }

  /** Returns the pending relays of one thread, oldest first. */
  async inThread(thread: Thread): Promise<ThreadRelay[]> {
    return Promise.all((await this.pendingIn(thread)).map(entry => this.#relayOf(thread, entry)));
  }

  /**
   * Returns relays that were answered or closed, thread by thread in the order of the listing, and where the listing
   * goes on when there is more.
   */
  async settled(
    { resourceId }: Scope,
    { after, limit }: { readonly after: Thread | undefined; readonly limit: number },
  ): Promise<{ decisions: ThreadRelay[]; next?: Thread }> {
    const decisions: ThreadRelay[] = [];
    let read = 0;
    for await (const thread of allThreads(this.#log, { resourceId, after })) {
      const { settled } = await this.#books.of(thread);
      for (const entry of settled.toReversed()) decisions.push(await this.#relayOf(thread, entry));
      if (decisions.length >= limit || ++read >= threadsPerPage) return { decisions, next: thread };
    }
    return { decisions };
  }

  /** Returns a pending relay of any thread that a request may see. */
  async find({ resourceId }: Scope, relayId: string): Promise<ThreadRelay | undefined> {
    const found = await this.#books.find(relayId, resourceId);
    return found && this.#relayOf(found.thread, found.entry);
  }

  /** Returns the relays of one thread, oldest first. */
  async pendingIn(thread: Thread): Promise<readonly RelayEntry[]> {
    return (await this.#books.of(thread)).pending;
  }

  /** Adds the thread, and the agent: that of the event or of its open run, else the last one of the thread. */
  async #relayOf(thread: Thread, entry: RelayEntry): Promise<ThreadRelay> {
    const { id: threadId, title } = thread;
    const running = openRunsOf(thread).find(({ runId }) => runId === entry.runId);
    const agentId = entry.relay.agentId ?? running?.agentId ?? (await this.#digests.of(thread)).agentId;
    return { ...entry, threadId, ...defined({ title, agentId }) };
  }
}

/** The oldest first; those of one moment by id. */
function bySince(a: RelayEntry, b: RelayEntry): number {
  const [one, other] = [`${a.since ?? ''} ${a.id}`, `${b.since ?? ''} ${b.id}`];
  return one < other ? -1 : 1;
}
