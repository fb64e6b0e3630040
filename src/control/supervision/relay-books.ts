import { SingletreeError } from '../../events/index.ts';
import { currentTime } from '../../log/event-time.ts';
import { allThreads, type EventLog, type Thread } from '../../log/index.ts';
import { inheritedSeq } from '../../log/own-events.ts';
import { RelayBook, relayBook, type RelayEntry } from '../../projections/relay-book.ts';
import { ThreadDigests } from '../thread-digests.ts';
import { type FoldedThread, ThreadFolds } from '../thread-folds.ts';
import { openRunsOf } from './open-runs.ts';

/** A relay and the thread it is asked in. */
export interface ThreadRelay {
  readonly thread: Thread;
  readonly entry: RelayEntry;
}

/** How many threads are read for one page of decisions. */
const threadsPerPage = 100;

/** Caches where the relays of threads stand: a thread that was read before costs only its new events. */
export class RelayBooks {
  readonly #log: EventLog;
  readonly #folds: ThreadFolds<RelayBook, RelayBook, Thread>;
  readonly #digests: ThreadDigests;

  constructor(log: EventLog, digests: ThreadDigests = new ThreadDigests(log)) {
    this.#log = log;
    this.#digests = digests;
    this.#folds = new ThreadFolds(log, relayBook, { startOf: firstOwn });
  }

  /** The relays of a thread; not those of events that it imported or shares with another thread. Empty when it is deleted. */
  async of(thread: Thread): Promise<RelayBook> {
    return (await this.#folds.of(thread).catch(emptyWhenDeleted)).at(currentTime(this.#log));
  }

  /** Returns the pending relays of all threads, oldest first. */
  async list(resourceId?: string): Promise<ThreadRelay[]> {
    const pending: ThreadRelay[] = [];
    for await (const relay of this.pending(resourceId)) pending.push(relay);
    return pending.toSorted(bySince);
  }

  /**
   * Returns relays that were answered or closed, thread by thread in the order of the listing, and where the listing
   * continues when there is more.
   */
  async settled(
    resourceId: string | undefined,
    { after, limit }: { readonly after: Thread | undefined; readonly limit: number },
  ): Promise<{ decisions: ThreadRelay[]; next?: Thread }> {
    const decisions: ThreadRelay[] = [];
    let read = 0;
    for await (const thread of allThreads(this.#log, { resourceId, after })) {
      for (const entry of (await this.of(thread)).settled.toReversed()) decisions.push({ thread, entry });
      if (decisions.length >= limit || ++read >= threadsPerPage) return { decisions, next: thread };
    }
    return { decisions };
  }

  /** Returns the agent that asks: that of the event or of its open run, else the last one of the thread. */
  async findAgent({ thread, entry }: ThreadRelay): Promise<string | undefined> {
    const running = openRunsOf(thread).find(({ runId }) => runId === entry.runId);
    return entry.relay.agentId ?? running?.agentId ?? (await this.#digests.of(thread)).agentId;
  }

  /** Yields the pending relays of all threads; reads only the threads in which relays are open. */
  async *pending(resourceId?: string): AsyncGenerator<ThreadRelay> {
    for await (const thread of allThreads(this.#log, { resourceId, open: 'relay' }))
      for (const entry of (await this.#folds.ofListed(thread).catch(emptyWhenDeleted)).at(currentTime(this.#log))
        .pending)
        yield { thread, entry };
  }

  /** Finds a relay that has no answer, also one that has expired; reads only the thread in which it is open. */
  async find(relayId: string, resourceId?: string): Promise<ThreadRelay | undefined> {
    for await (const thread of allThreads(this.#log, { resourceId, open: 'relay' })) {
      if (!thread.open?.some(({ kind, id }) => kind === 'relay' && id === relayId)) continue;
      const entry = (await this.of(thread)).get(relayId);
      if (entry !== undefined && entry.answer === undefined) return { thread, entry };
    }
    return undefined;
  }
}

/** The oldest first; those of one moment by id. */
function bySince({ entry: a }: ThreadRelay, { entry: b }: ThreadRelay): number {
  const [one, other] = [`${a.since ?? ''} ${a.id}`, `${b.since ?? ''} ${b.id}`];
  return one < other ? -1 : 1;
}

/** Imported and shared events ask nobody. */
function firstOwn(thread: Thread): FoldedThread<RelayBook> {
  return { state: relayBook.initial, seq: inheritedSeq(thread) };
}

function emptyWhenDeleted(error: unknown): RelayBook {
  if (SingletreeError.is(error, 'thread_not_found')) return RelayBook.empty();
  throw error;
}
