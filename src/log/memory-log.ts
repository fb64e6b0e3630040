import type { AgentEvent, LoggedEvent } from '../events/vocabulary.ts';
import { newId } from '../events/ids.ts';
import type { OutlineSnapshot } from '../events/outline/outline-snapshot.ts';
import { checkConditions } from './append-conditions.ts';
import {
  type CheckedRange,
  checkBranchPoint,
  checkCount,
  checkId,
  checkLeaseRequest,
  checkNewThread,
  checkRawAppendOptions,
  checkThreadChange,
  checkThreadFilter,
  checkRange,
  checkRawLines,
  importedInBranch,
  leaseEnd,
  leaseHeld,
  leaseLost,
  logClosed,
  threadExists,
  threadNotFound,
} from './checks.ts';
import { DerivedOfThread, type DerivingThread, MemoryDerived } from './derived/memory-derived.ts';
import type { SearchPage, SearchQuery } from './derived/search.ts';
import type { UsageQuery, GroupedUsage } from './derived/usage-totals.ts';
import { decodeEvent, encodeEvents } from './encode.ts';
import { defaultMaxEventBytes } from './event-size.ts';
import { importedTimeText, pastTimeText, timeText } from './event-time.ts';
import type {
  AppendOptions,
  EventLog,
  Lease,
  LeaseRequest,
  NewThread,
  RawAppendOptions,
  RawLine,
  ReadRange,
  Tail,
  TailOptions,
  Thread,
  ThreadChange,
  ThreadFilter,
} from './event-log.ts';
import { LiveTails } from './live-tails.ts';
import { checkMemoryLogOptions, type MemoryLogOptions } from './memory-log-options.ts';
import { hasOpen, openAfter, openOwnedBy, type OpenThing } from './open-things.ts';
import { copyThread, mergeMetadata, nextInListing } from './threads.ts';
import { systemUptime } from './uptime.ts';
import { defined } from '../base/defined.ts';

interface Held extends DerivingThread {
  thread: Thread;
  /** The thread that holds the events up to `fork`. */
  readonly owner: Held | undefined;
  readonly fork: number;
  /** The stored texts of the events after the fork: seq fork + 1, fork + 2 … */
  readonly bodies: string[];
  /** The time of its newest event. */
  newestTs: string | undefined;
  readonly once: Map<string, number>;
  readonly raw: Map<string, RawLine[]>;
}

/** Where a new thread begins. */
interface NewPlace extends Pick<Thread, 'branchedFrom' | 'importedSeq'>, Pick<Held, 'fork'> {
  readonly owner?: Held | undefined;
}

/** A log in memory, for tests and for runs that need not outlive the process. */
export class MemoryLog implements EventLog {
  readonly #threads = new Map<string, Held>();
  /** The threads in which something is open. */
  readonly #open = new Map<string, Held>();
  /** With the time at which each ends, by the clock that does not jump. */
  readonly #leases = new Map<string, Lease & { readonly end: number }>();
  readonly #live = new LiveTails();
  readonly #derived = new MemoryDerived();
  readonly now: () => number;
  readonly #uptime: () => number;
  readonly isLocal = true;
  readonly maxEventBytes: number;
  #closed = false;

  constructor(options: MemoryLogOptions = {}) {
    checkMemoryLogOptions(options);
    const { now = Date.now, maxEventBytes = defaultMaxEventBytes } = options;
    this.now = now;
    this.#uptime = options.uptime ?? options.now ?? systemUptime;
    this.maxEventBytes = maxEventBytes;
  }

  async append(threadId: string, events: readonly AgentEvent[], options: AppendOptions = {}) {
    const { once, lease, resumes, metadata, imported } = options;
    const held = this.#get(threadId);
    const { seq, importedSeq } = held.thread;
    checkConditions(options, {
      threadId,
      seq,
      importedSeq: () => importedSeq,
      seqOfKey: key => held.once.get(key),
      isHeld: lease => this.#leases.get(lease.name)?.token === lease.token,
    });
    const stored = encodeEvents(events, {
      firstSeq: seq + 1,
      now: this.now,
      maxEventBytes: this.maxEventBytes,
      newestTs: held.newestTs,
      imported,
    });
    const left = stored.open && openAfter(held.thread.open ?? [], stored.open, lease?.owner);
    const open = resumes && lease ? openOwnedBy(left ?? held.thread.open ?? [], resumes, lease.owner) : left;
    const changed = metadata && { metadata: mergeMetadata(held.thread.metadata, metadata) };
    for (const body of stored.bodies) held.bodies.push(body);
    this.#derived.append(held, stored.bodies.length, imported === true);
    const lastSeq = seq + stored.bodies.length;
    held.newestTs = stored.events.at(-1)?.ts ?? held.newestTs;
    if (once !== undefined) held.once.set(once, lastSeq);
    const moved = imported === true && { importedSeq: lastSeq };
    const updatedAt =
      imported === true ? importedTimeText(stored.events.at(-1)?.ts, held.thread.updatedAt, this.now()) : this.#stamp();
    held.thread = { ...held.thread, ...changed, ...moved, seq: lastSeq, updatedAt };
    if (open !== undefined) this.#setOpen(held, open);
    this.#live.publish(threadId, stored);
    return { firstSeq: seq + 1, lastSeq };
  }

  async read(threadId: string, range?: ReadRange): Promise<LoggedEvent[]> {
    return (await this.readTexts(threadId, range)).map(decodeEvent);
  }

  async readTexts(threadId: string, range?: ReadRange): Promise<string[]> {
    return bodiesIn(this.#get(threadId), checkRange(range));
  }

  tail(threadId: string, after = 0, options: TailOptions = {}): Tail {
    const read = (id: string, range?: ReadRange) => this.read(id, range);
    const isNewest = (seq: number) => this.#threads.get(threadId)?.thread.seq === seq;
    return this.#live.tail({ read, isNewest }, threadId, after, options);
  }

  onDeleted(listener: (threadId: string) => void): () => void {
    return this.#live.onEnd(listener);
  }

  async createThread(thread: NewThread = {}): Promise<Thread> {
    return this.#add(thread, { fork: 0, ...(thread.imported === true && { importedSeq: 0 }) });
  }

  async getThread(threadId: string): Promise<Thread | undefined> {
    this.#checkOpen();
    const held = this.#threads.get(threadId);
    return held && copyThread(held.thread);
  }

  async updateThread(threadId: string, change: ThreadChange): Promise<Thread> {
    checkThreadChange(change);
    const { title, metadata = {} } = change;
    const held = this.#get(threadId);
    held.thread = {
      ...held.thread,
      ...defined({ title }),
      metadata: mergeMetadata(held.thread.metadata, metadata),
      updatedAt: this.#stamp(),
    };
    if (title !== undefined) this.#derived.setTitle(held);
    return copyThread(held.thread);
  }

  async listThreads(filter: ThreadFilter = {}): Promise<Thread[]> {
    this.#checkOpen();
    checkThreadFilter(filter);
    const { resourceId, limit = 100, after } = filter;
    return this.#selected(filter)
      .map(held => held.thread)
      .filter(thread => resourceId === undefined || thread.resourceId === resourceId)
      .filter(thread => after === undefined || nextInListing(after, thread) < 0)
      .toSorted(nextInListing)
      .slice(0, checkCount('limit', limit, 0))
      .map(copyThread);
  }

  async deleteThread(threadId: string): Promise<void> {
    this.#get(threadId);
    // The usage of a deleted thread still counts, so derive it before the events are gone.
    this.#derived.catchUpAtOnce();
    this.#threads.delete(threadId);
    this.#open.delete(threadId);
    this.#live.end(threadId);
  }

  async branch(threadId: string, seq: number, thread: NewThread = {}): Promise<Thread> {
    const from = this.#get(threadId);
    checkBranchPoint(threadId, seq, from.thread.seq);
    let owner: Held | undefined = from;
    while (owner !== undefined && seq <= owner.fork) owner = owner.owner;
    const importedSeq = importedInBranch(from.thread.importedSeq, seq);
    return this.#add(
      { resourceId: from.thread.resourceId, ...thread },
      { owner, fork: seq, branchedFrom: { threadId, seq }, ...defined({ importedSeq }) },
    );
  }

  async onceKeys(threadId: string): Promise<{ readonly key: string; readonly seq: number }[]> {
    return [...this.#get(threadId).once].map(([key, seq]) => ({ key, seq }));
  }

  async acquireLease(name: string, request: LeaseRequest): Promise<Lease> {
    this.#checkOpen();
    checkLeaseRequest(request);
    const { owner, ttlMs, isGone } = request;
    const current = this.#leases.get(checkId('lease name', name));
    const isHeld = current && current.owner !== owner && current.end > this.#uptime();
    if (isHeld && isGone?.(current.owner) !== true) throw leaseHeld(name, current.owner, current.expiresAt);
    const token = (current?.token ?? 0) + 1;
    return this.#setLease({ name, owner: checkId('lease owner', owner), token }, ttlMs);
  }

  async renewLease(lease: Lease, ttlMs: number): Promise<Lease> {
    this.#checkOpen();
    this.#checkLease(lease);
    return this.#setLease(lease, ttlMs);
  }

  async releaseLease(lease: Lease): Promise<void> {
    this.#checkOpen();
    if (this.#leases.get(lease.name)?.token === lease.token) this.#setLease(lease, 0);
  }

  async leaseOwner(name: string): Promise<string | undefined> {
    this.#checkOpen();
    const current = this.#leases.get(name);
    return current !== undefined && current.end > this.#uptime() ? current.owner : undefined;
  }

  async appendRaw(
    threadId: string,
    runId: string,
    lines: readonly RawLine[],
    options: RawAppendOptions = {},
  ): Promise<void> {
    checkRawAppendOptions(options);
    const { lease } = options;
    const { raw } = this.#get(threadId);
    if (lease !== undefined) this.#checkLease(lease);
    const stored = raw.get(checkId('run id', runId)) ?? [];
    checkRawLines(runId, stored.length, lines);
    for (const line of lines) stored.push({ ...line, line: new Uint8Array(line.line) });
    raw.set(runId, stored);
  }

  async readRaw(threadId: string, runId: string, range?: { after?: number; limit?: number }): Promise<RawLine[]> {
    const { after, limit } = checkRange(range);
    const lines = this.#get(threadId).raw.get(runId) ?? [];
    return lines.slice(after, after + limit).map(line => ({ ...line, line: new Uint8Array(line.line) }));
  }

  async outlineAt(threadId: string, seq: number): Promise<OutlineSnapshot | undefined> {
    return this.#derived.outlineAt(this.#get(threadId), seq);
  }

  async seqOfMessage(threadId: string, messageId: string): Promise<number | undefined> {
    return this.#derived.seqOfMessage(this.#get(threadId), messageId);
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    this.#checkOpen();
    return this.#derived.search(this.#threads, query);
  }

  async usage(query?: UsageQuery): Promise<GroupedUsage[]> {
    this.#checkOpen();
    return this.#derived.usage(query);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#live.close();
  }

  #add(thread: NewThread, place: NewPlace): Thread {
    this.#checkOpen();
    checkNewThread(thread);
    const { owner, fork, ...origin } = place;
    const { id = newId(), resourceId = 'default', title, metadata = {}, createdAt } = thread;
    if (this.#threads.has(checkId('thread id', id))) throw threadExists(id);
    const now = pastTimeText(createdAt, this.now());
    const held: Held = {
      thread: {
        id,
        resourceId: checkId('resource id', resourceId),
        ...defined({ title }),
        metadata: mergeMetadata({}, metadata),
        createdAt: now,
        updatedAt: now,
        seq: fork,
        ...origin,
      },
      owner,
      fork,
      bodies: [],
      newestTs: owner && bodiesIn(owner, checkRange({ after: fork - 1, limit: 1 })).map(decodeEvent)[0]?.ts,
      once: new Map(),
      raw: new Map(),
      derived: new DerivedOfThread(),
    };
    this.#threads.set(id, held);
    if (title !== undefined) this.#derived.setTitle(held);
    return copyThread(held.thread);
  }

  #setOpen(held: Held, open: readonly OpenThing[]): void {
    const { open: _, ...thread } = held.thread;
    held.thread = open.length === 0 ? thread : { ...thread, open };
    if (open.length === 0) this.#open.delete(thread.id);
    else this.#open.set(thread.id, held);
  }

  /** The threads in which something of the filter's kind is open; all when it has none. */
  #selected({ open }: ThreadFilter): Held[] {
    if (open === undefined) return [...this.#threads.values()];
    return [...this.#open.values()].filter(({ thread }) => hasOpen(thread, open));
  }

  #get(threadId: string): Held {
    this.#checkOpen();
    const held = this.#threads.get(threadId);
    if (held === undefined) throw threadNotFound(threadId);
    return held;
  }

  #checkLease(lease: Lease): void {
    const current = this.#leases.get(lease.name);
    if (current?.token !== lease.token) throw leaseLost(lease);
  }

  #setLease(lease: Pick<Lease, 'name' | 'owner' | 'token'>, ttlMs: number): Lease {
    const { name, owner, token } = lease;
    const next = { name, owner, token, expiresAt: leaseEnd(this.now(), ttlMs) };
    this.#leases.set(name, { ...next, end: this.#uptime() + ttlMs });
    return next;
  }

  #stamp(): string {
    return timeText(this.now());
  }

  #checkOpen(): void {
    if (this.#closed) throw logClosed();
  }
}

/** The stored texts in a range: first those of the threads it branched from, then its own. */
function bodiesIn(held: Held, { after, before, limit, maxBytes }: CheckedRange): string[] {
  const segments: string[][] = [];
  let end = Math.min(before, held.thread.seq + 1);
  for (let at: Held | undefined = held; at !== undefined && end > after + 1; at = at.owner) {
    const from = Math.max(after, at.fork);
    const to = Math.min(end - 1, from + limit);
    if (to > from) segments.unshift(at.bodies.slice(from - at.fork, to - at.fork));
    end = Math.min(end, at.fork + 1);
  }
  const bodies = segments.flat();
  let count = 0;
  for (let bytes = 0; count < Math.min(limit, bodies.length) && bytes < maxBytes; count++)
    bytes += bodies[count]?.length ?? 0;
  return bodies.slice(0, count);
}
