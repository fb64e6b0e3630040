import type { EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { currentTime } from '../../log/event-time.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { inheritedSeq } from '../../log/own-events.ts';
import { RelayBook, relayBook, type RelayEntry, relayStanding } from '../../projections/relay-book.ts';
import { ThreadDigests, type FoldedThread, ThreadFolds } from '../threads/thread-folds.ts';
import { listOpenRuns } from '../supervision/open-runs.ts';

/** A relay with its thread. */
export interface ThreadRelay {
  readonly thread: Thread;
  readonly entry: RelayEntry;
}

/** How many threads are read for one page of decisions. */
const threadsPerPage = 100;

/** How many resources have the relays of their last listing cached. */
const mostListings = 1000;

/** Caches the status of relays by thread: for a cached thread only new events are read. */
export class RelayBooks {
  readonly #log: EventLog;
  readonly #folds: ThreadFolds<RelayBook, RelayBook, Thread>;
  readonly #digests: ThreadDigests;
  /**
   * The open relays that the last listing found, by thread and seq, for each resource; `undefined` lists all resources.
   */
  readonly #listings = new Map<string | undefined, ReadonlyMap<string, EventOf<'relay'>>>();

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
    const running = listOpenRuns(thread).find(({ runId }) => runId === entry.runId);
    return entry.relay.agentId ?? running?.agentId ?? (await this.#digests.of(thread)).agentId;
  }

  /** Yields the pending relays of all threads; reads only the threads in which relays are open. */
  async *pending(resourceId?: string): AsyncGenerator<ThreadRelay> {
    const known = this.#listings.get(resourceId);
    const listed = new Map<string, EventOf<'relay'>>();
    const facts = { answer: undefined, hasRunEnded: false, now: currentTime(this.#log) };
    for await (const thread of allThreads(this.#log, { resourceId, open: 'relay' }))
      for (const { kind, id, seq } of thread.open ?? []) {
        if (kind !== 'relay') continue;
        const key = `${thread.createdAt} ${thread.id} ${seq}`;
        const relay = known?.get(key) ?? (await this.#read(thread.id, seq));
        if (relay === undefined) continue;
        listed.set(key, relay);
        const since = relay.ts === undefined ? {} : { since: relay.ts };
        const entry = { id, runId: relay.runId, relay, ...since, ...relayStanding(relay, facts) };
        if (entry.status === 'pending') yield { thread, entry };
      }
    this.#listings.delete(resourceId);
    this.#listings.set(resourceId, listed);
    if (this.#listings.size > mostListings) this.#listings.delete(this.#listings.keys().next().value);
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

  /** Returns the relay that an event asks; undefined when its thread was deleted. */
  async #read(threadId: string, seq: number): Promise<EventOf<'relay'> | undefined> {
    try {
      const [event] = await this.#log.read(threadId, { after: seq - 1, limit: 1 });
      return event?.type === 'relay' ? event : undefined;
    } catch (error) {
      if (SingletreeError.is(error, 'thread_not_found')) return undefined;
      throw error;
    }
  }
}

/** The oldest first; those of one moment by id. */
function bySince({ entry: a }: ThreadRelay, { entry: b }: ThreadRelay): number {
  const [one, other] = [`${a.since ?? ''} ${a.id}`, `${b.since ?? ''} ${b.id}`];
  return one < other ? -1 : 1;
}

/** Starts after imported and shared events: their relays need no answer in this thread. */
function firstOwn(thread: Thread): FoldedThread<RelayBook> {
  return { state: relayBook.initial, seq: inheritedSeq(thread) };
}

function emptyWhenDeleted(error: unknown): RelayBook {
  if (SingletreeError.is(error, 'thread_not_found')) return RelayBook.empty();
  throw error;
}
