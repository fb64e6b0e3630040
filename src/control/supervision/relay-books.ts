import { SingletreeError } from '../../events/index.ts';
import { currentTime } from '../../log/event-time.ts';
import { allThreads, type EventLog, type Thread } from '../../log/index.ts';
import { inheritedSeq } from '../../log/own-events.ts';
import { RelayBook, relayBook, type RelayEntry } from '../../projections/relay-book.ts';
import { type FoldedThread, ThreadFolds } from '../thread-folds.ts';

/** A pending relay and the thread it is asked in. */
export interface PendingRelay {
  readonly thread: Thread;
  readonly entry: RelayEntry;
}

/** Caches where the relays of threads stand: a thread that was read before costs only its new events. */
export class RelayBooks {
  readonly #log: EventLog;
  readonly #folds: ThreadFolds<RelayBook, RelayBook, Thread>;

  constructor(log: EventLog) {
    this.#log = log;
    this.#folds = new ThreadFolds(log, relayBook, { startOf: firstOwn });
  }

  /** The relays of a thread; not those of events that it imported or shares with another thread. Empty when it is deleted. */
  async of(thread: Thread): Promise<RelayBook> {
    return (await this.#folds.of(thread).catch(emptyWhenDeleted)).at(currentTime(this.#log));
  }

  /** Yields the pending relays of all threads; reads only the threads in which relays are open. */
  async *pending(resourceId?: string): AsyncGenerator<PendingRelay> {
    for await (const thread of allThreads(this.#log, { resourceId, open: 'relay' }))
      for (const entry of (await this.#folds.ofListed(thread).catch(emptyWhenDeleted)).at(currentTime(this.#log))
        .pending)
        yield { thread, entry };
  }

  /** Finds a relay that has no answer, also one that has expired; reads only the thread in which it is open. */
  async find(relayId: string, resourceId?: string): Promise<PendingRelay | undefined> {
    for await (const thread of allThreads(this.#log, { resourceId, open: 'relay' })) {
      if (!thread.open?.some(({ kind, id }) => kind === 'relay' && id === relayId)) continue;
      const entry = (await this.of(thread)).get(relayId);
      if (entry !== undefined && entry.answer === undefined) return { thread, entry };
    }
    return undefined;
  }
}

/** Imported and shared events ask nobody. */
function firstOwn(thread: Thread): FoldedThread<RelayBook> {
  return { state: relayBook.initial, seq: inheritedSeq(thread) };
}

function emptyWhenDeleted(error: unknown): RelayBook {
  if (SingletreeError.is(error, 'thread_not_found')) return RelayBook.empty();
  throw error;
}
