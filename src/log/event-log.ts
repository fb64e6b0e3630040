import type { AgentEvent, LoggedEvent, EventType } from '../events/vocabulary.ts';
import type { EventIndex } from './event-index.ts';
import type { OpenKind, OpenThing } from './open-things.ts';

/** One persisted conversation. Title, resource and metadata are not part of its log. */
export interface Thread {
  readonly id: string;
  /** Whose thread it is: a user, a project, a tenant. */
  readonly resourceId: string;
  readonly title?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly createdAt: string;
  /**
   * ISO 8601; moved by every append and every change of title or metadata. Appends within 10 ms may move it once;
   * imported events move it to their own time.
   */
  readonly updatedAt: string;
  /** The seq of its newest event; 0 when it has none. */
  readonly seq: number;
  /** Where it branched off, when it did. */
  readonly branchedFrom?: { readonly threadId: string; readonly seq: number };
  /**
   * The newest of its events that were imported; absent when it was not made for an import. What these events granted,
   * asked or left open has no effect.
   */
  readonly importedSeq?: number;
  /**
   * What its own events that are not imported leave open, in the order in which it was opened; absent when nothing is.
   * An index that the log keeps with every append.
   */
  readonly open?: readonly OpenThing[];
}

export interface NewThread {
  /** A uuid v7 when absent. */
  id?: string;
  /** `default` when absent. */
  resourceId?: string;
  title?: string;
  metadata?: Record<string, unknown>;
  /** Whether it is made to append imported events to; a branch takes after its parent instead. */
  imported?: boolean;
  /** With `imported`: when the thread began in its source, as ISO 8601, not later than now; now when absent. */
  createdAt?: string;
}

export interface ThreadChange {
  title?: string;
  /** Merged key by key into the existing metadata, in one step; `null` removes a key. */
  metadata?: Record<string, unknown>;
}

export interface ThreadFilter {
  resourceId?: string;
  /** At most this many; 100 when absent. */
  limit?: number;
  /** Only threads listed after this one, for example the last one of the page before. */
  after?: Thread;
  /** Only threads in which something of this kind is open. */
  open?: OpenKind;
}

/**
 * An exclusive right that one owner holds under a name until it expires; each later holder gets a higher fencing token.
 * The store decides when it expires, by a clock that does not depend on the wall-clock time of a process.
 */
export interface Lease {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
  /** ISO 8601; for people. */
  readonly expiresAt: string;
}

export interface LeaseRequest {
  readonly owner: string;
  readonly ttlMs: number;
  /** Whether a holder is known to have ended: its lease is taken at once instead of when it expires. */
  readonly isGone?: (owner: string) => boolean;
}

/** One line an external program printed, byte for byte, its line ending included. */
export interface RawLine {
  /** 1, 2, 3 … within its run, over both streams. */
  readonly n: number;
  /** ISO 8601. */
  readonly ts: string;
  readonly stream: 'stdout' | 'stderr';
  readonly line: Uint8Array;
}

export interface AppendOptions {
  /** Append only if this is the thread's newest seq, else `seq_conflict`. */
  expectedSeq?: number;
  /** Append only if nothing was appended to the thread under this key before, else `once_conflict`. */
  once?: string;
  /**
   * Append only while this lease is the newest of its name, else `lease_lost`. Its owner owns the runs that the events
   * request.
   */
  lease?: Lease;
  /** An open run that the owner of the lease resumes and owns from now on; `invalid_argument` without a lease. */
  resumes?: string;
  /** Merged into the thread's metadata in the same moment, as `updateThread` does. */
  metadata?: ThreadChange['metadata'];
  /**
   * Marks the events as imported: moves the thread's `importedSeq` in the same moment. `invalid_argument` unless the
   * thread was made for an import and has only imported events.
   */
  imported?: boolean;
}

export interface RawAppendOptions {
  /** Append only while this lease is the newest of its name, else `lease_lost`. */
  lease?: Lease;
}

export interface ReadRange {
  /** Only events with a higher seq; 0 when absent. */
  after?: number;
  /** Only events with a lower seq. */
  before?: number;
  /** At most this many, the oldest first; 1000 when absent. */
  limit?: number;
  /** Ends with the event that brings the page to about this many bytes; no bound when absent. */
  maxBytes?: number;
}

export interface TailOptions {
  /** Only events of these types; all when absent. */
  types?: readonly EventType[];
  /** Ends the tail, without an error. */
  signal?: AbortSignal;
}

/** The events of a thread as they come. */
export interface Tail extends AsyncIterable<LoggedEvent> {
  /** The next event if it has arrived: a reader of many need not wait for each. */
  take?(): LoggedEvent | undefined;
  /** Ends it at once, also for a reader that waits, as the signal does. */
  leave?(): void;
  /** The JSON text that the event taken last is stored as; undefined when it is not at hand. */
  textOf?(event: LoggedEvent): string | undefined;
}

/**
 * The append-only log: threads of events, each with a gapless `seq` 1, 2, 3 … Every method that changes something is
 * atomic: it happens as a whole or, when its promise rejects, not at all. Every rejection is a `SingletreeError`.
 *
 * Durability: when a promise of a changing method resolves, the change survives the end of the process however it
 * comes (SIGKILL included); what survives a power loss is said by each implementation.
 */
export interface EventStore {
  /**
   * Appends events in order and assigns their `seq` (one they carry is replaced) and, where absent, `ts`. An event that
   * is not imported has no earlier `ts` than the one before it: one that it carries is raised to that. Events are
   * validated (`invalid_event`, `event_too_large`) and stored as JSON: later changes to the objects do not reach the
   * log. Appends to one thread, from any number of processes, are serialised.
   */
  append(
    threadId: string,
    events: readonly AgentEvent[],
    options?: AppendOptions,
  ): Promise<{ firstSeq: number; lastSeq: number }>;

  /** Events of a thread, those it shares with the thread it branched from included, in order of seq. */
  read(threadId: string, range?: ReadRange): Promise<LoggedEvent[]>;

  /** The same events as `read`, each as the JSON text it is stored as: what only sends them on need not parse them. */
  readTexts(threadId: string, range?: ReadRange): Promise<string[]>;

  /**
   * Returns all events after a seq, then new ones as any process appends them, without gaps or duplicates. It has no
   * queue: a slow reader reads from the store. Events are frozen and may be shared by all readers of a process. Ends
   * when the log is closed or the signal aborts.
   */
  tail(threadId: string, after?: number, options?: TailOptions): Tail;

  createThread(thread?: NewThread): Promise<Thread>;
  /** Returns the thread; undefined when it does not exist. */
  getThread(threadId: string): Promise<Thread | undefined>;
  updateThread(threadId: string, change: ThreadChange): Promise<Thread>;
  /** Newest first by `updatedAt`, then by id, the highest first: ids that are made here rise within a millisecond. */
  listThreads(filter?: ThreadFilter): Promise<Thread[]>;
  /**
   * The thread is gone at once; events that branches still refer to are kept for them and removed with the last. When
   * it resolves nothing else of it is stored any more, unless others prevent that for now: see each implementation.
   */
  deleteThread(threadId: string): Promise<void>;
  /**
   * A new thread that shares the events up to and including `seq`, in constant time; its own begin at seq + 1. Shared
   * events that were imported stay marked as such.
   */
  branch(threadId: string, seq: number, thread?: NewThread): Promise<Thread>;

  /** Acquires the lease, again for its owner, with a new token; throws `lease_held` when another owner holds it. */
  acquireLease(name: string, request: LeaseRequest): Promise<Lease>;
  /** Extends a lease; throws `lease_lost` when it is no longer the newest of its name. */
  renewLease(lease: Lease, ttlMs: number): Promise<Lease>;
  /** Releases a lease; does nothing when the lease was already lost. */
  releaseLease(lease: Lease): Promise<void>;
  /** Returns the current owner of a lease; undefined when no owner holds it. */
  leaseOwner?(name: string): Promise<string | undefined>;

  /** Appends raw lines of a run; throws `raw_conflict` unless `n` continues from the last line. */
  appendRaw(threadId: string, runId: string, lines: readonly RawLine[], options?: RawAppendOptions): Promise<void>;
  /** Raw lines of a run in order of `n`. */
  readRaw(threadId: string, runId: string, range?: { after?: number; limit?: number }): Promise<RawLine[]>;

  /** The `once` keys of a thread, each with the newest seq after its append; needed to copy a store as a whole. */
  onceKeys?(threadId: string): Promise<{ readonly key: string; readonly seq: number }[]>;
  /** Calls back when this process deleted a thread. Returns an unsubscribe function. */
  onDeleted?(listener: (threadId: string) => void): () => void;

  /** The longest event it stores, in bytes of JSON; 16 MiB when absent. */
  readonly maxEventBytes?: number;

  /** Whether all processes that use it run on one machine, where the end of a process is noticed at once. */
  readonly isLocal?: boolean;

  /** Returns the time that an event appended now would get, in milliseconds; the time of the process when absent. */
  readonly now?: () => number;

  /** Ends all tails and releases what the log holds; later calls reject with `log_closed`. May be called twice. */
  close(): Promise<void>;
}

/** A store with an optional index: a lookup that it does not implement is computed from the events on demand. */
export interface EventLog extends EventStore, Partial<EventIndex> {}
