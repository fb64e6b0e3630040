import { type AgentEvent, type LoggedEvent, newId } from '../../events/index.ts';
import {
  checkBranchPoint,
  checkCount,
  checkId,
  checkImportable,
  checkRange,
  checkRawLines,
  importedInBranch,
  isHeldByAnother,
  leaseEnd,
  leaseHeld,
  leaseLost,
  logClosed,
  onceConflict,
  seqConflict,
  threadExists,
  threadNotFound,
} from '../checks.ts';
import { decodeEvent, encodeEvents } from '../encode.ts';
import type {
  AppendOptions,
  EventLog,
  Lease,
  LeaseRequest,
  NewThread,
  RawLine,
  ReadRange,
  Tail,
  TailOptions,
  Thread,
  ThreadChange,
  ThreadFilter,
} from '../event-log.ts';
import { Live } from '../live.ts';
import { mergeMetadata } from '../threads.ts';
import { translateErrors } from './errors.ts';
import { closeDatabase, type Connection, openDatabase, type SqliteDurability } from './open.ts';
import { type Place, Statements, type ThreadInfo, type ThreadRow, toThread } from './statements.ts';
import { NewestThread } from './newest-thread.ts';
import { StoredInfo } from './stored-info.ts';

export interface SqliteLogOptions {
  /** `process` when absent. */
  durability?: SqliteDurability;
  /** How often a waiting tail looks for appends of other processes, in milliseconds; 50 when absent. */
  pollMs?: number;
  now?: () => number;
}

/** Where a new thread begins. */
type NewPlace = Pick<ThreadRow, 'owner' | 'fork' | 'imported'> & Pick<Thread, 'branchedFrom'>;

/**
 * A log in one SQLite file, which any number of processes may use at once. With durability `process` (the default)
 * what was acknowledged survives the process; after a power loss the newest appends may be missing, never a part of
 * one. With `power` everything acknowledged is on the disk.
 */
export class SqliteLog implements EventLog {
  readonly #path: string;
  readonly #db: Connection;
  readonly #sql: Statements;
  readonly #live: Live;
  readonly now: () => number;
  /** Changes when another process wrote to the file. */
  #seen: number;
  /** The newest seq of threads appended to here, as long as no other process wrote to the file. */
  readonly #newest = new Map<string, number>();
  readonly #info = new StoredInfo();
  readonly #newestThread = new NewestThread();
  #poll: ReturnType<typeof setInterval> | undefined;
  /** Whether a tail waits; it begins to wait anew after each batch, and the timer outlasts the time between. */
  #isAwaited = false;
  #closed = false;

  /** Opens the file, and creates it with its folder when it is not there. */
  constructor(path: string, { durability = 'process', pollMs = 50, now = Date.now }: SqliteLogOptions = {}) {
    this.#path = path;
    this.now = now;
    this.#db = openDatabase(path, durability);
    this.#sql = new Statements(this.#db);
    this.#seen = this.#sql.dataVersion();
    this.#live = new Live(waiting => this.#setPolling(waiting, pollMs));
  }

  async append(
    threadId: string,
    events: readonly AgentEvent[],
    { expectedSeq, once, lease, metadata, imported }: AppendOptions = {},
  ) {
    const now = this.now();
    const isFresh = this.#newestThread.isFresh(threadId, now);
    const { firstSeq, logged } = this.#write(() => {
      const head = this.#sql.head(threadId, lease?.name);
      if (head === undefined) throw threadNotFound(threadId);
      const { key, seq, info, token } = head;
      if (expectedSeq !== undefined && expectedSeq !== seq) throw seqConflict(threadId, expectedSeq, seq);
      if (once !== undefined) this.#checkOnce(threadId, key, checkId('once key', once));
      if (lease !== undefined && token !== lease.token) throw leaseLost(lease);
      if (imported === true) checkImportable(toThread(this.#row(threadId)));
      const { bodies, events: logged } = encodeEvents(events, seq + 1, this.now);
      this.#sql.insertEvents(key, seq + 1, bodies);
      if (once !== undefined) this.#sql.insertOnce.run(key, once, seq + bodies.length);
      if (imported === true) this.#sql.setImported.run(seq + bodies.length, key);
      const changed = metadata && this.#info.after(info, { metadata });
      if (!isFresh) this.#sql.updateInfo.run(changed ?? info, new Date(now).toISOString(), key);
      else if (changed !== undefined) this.#sql.setInfo.run(changed, key);
      return { firstSeq: seq + 1, logged };
    });
    if (!isFresh) this.#newestThread.moved(threadId, now);
    const lastSeq = firstSeq + logged.length - 1;
    if (this.#newest.size >= 1000) this.#newest.clear();
    this.#newest.set(threadId, lastSeq);
    this.#live.publish(threadId, logged);
    return { firstSeq, lastSeq };
  }

  async read(threadId: string, range?: ReadRange): Promise<LoggedEvent[]> {
    const { after, before, limit } = checkRange(range);
    return this.#use(() => {
      const events: LoggedEvent[] = [];
      const place = this.#sql.place(threadId);
      if (place === undefined) throw threadNotFound(threadId);
      for (const { key, end } of this.#segments(place, after, before)) {
        const rows = this.#sql.readEvents.all(key, after, end, limit - events.length) as [string][];
        for (const [body] of rows) events.push(decodeEvent(body));
        if (events.length >= limit) break;
      }
      return events;
    });
  }

  tail(threadId: string, after = 0, options: TailOptions = {}): Tail {
    const read = (id: string, range?: ReadRange) => this.read(id, range);
    const isNewest = (seq: number) => this.#isNewest(threadId, seq);
    return this.#live.tail({ read, isNewest }, threadId, after, options);
  }

  async createThread(thread: NewThread = {}): Promise<Thread> {
    this.#newestThread.forget();
    const imported = thread.imported === true ? 0 : null;
    return this.#write(() => this.#insertThread(thread, { owner: null, fork: 0, imported }));
  }

  async getThread(threadId: string): Promise<Thread | undefined> {
    return this.#use(() => {
      const row = this.#sql.thread(threadId);
      return row && toThread(row);
    });
  }

  async updateThread(threadId: string, change: ThreadChange): Promise<Thread> {
    this.#newestThread.forget();
    // When nobody changes it meanwhile, which is seen by what it was, no transaction is needed.
    return this.#use(() => {
      const row = this.#row(threadId);
      const after = { ...row, info: this.#info.after(row.info, change), updated: this.#stamp() };
      return this.#sql.replaceInfo(row, after) ? toThread(after) : this.#update(threadId, change);
    });
  }

  #update(threadId: string, change: ThreadChange): Thread {
    return this.#write(() => {
      const row = this.#row(threadId);
      const after = { ...row, info: this.#info.after(row.info, change), updated: this.#stamp() };
      this.#sql.updateInfo.run(after.info, after.updated, row.key);
      return toThread(after);
    });
  }

  async listThreads({ resourceId, limit = 100, after, openRuns }: ThreadFilter = {}): Promise<Thread[]> {
    const most = checkCount('limit', limit, 0);
    return this.#use(() => this.#sql.list({ resourceId, after, openRuns, limit: most }).map(toThread));
  }

  async deleteThread(threadId: string): Promise<void> {
    this.#write(() => {
      const row = this.#row(threadId);
      this.#sql.hide.run(`${row.key}\u0001${threadId}`, row.key);
      this.#sql.deleteRaw.run(row.key);
      this.#purge(row.key);
    });
    this.#newest.delete(threadId);
    this.#live.end(threadId);
  }

  async branch(threadId: string, seq: number, thread: NewThread = {}): Promise<Thread> {
    this.#newestThread.forget();
    return this.#write(() => {
      const from = this.#row(threadId);
      checkBranchPoint(threadId, seq, from.seq);
      let owner: ThreadRow | undefined = from;
      while (owner !== undefined && seq <= owner.fork) owner = this.#sql.owner(owner);
      const branchedFrom = { threadId, seq };
      const imported = importedInBranch(from.imported ?? undefined, seq) ?? null;
      return this.#insertThread(
        { resourceId: from.resource, ...thread },
        { owner: owner?.key ?? null, fork: seq, imported, branchedFrom },
      );
    });
  }

  async acquireLease(name: string, { owner, ttlMs, isGone }: LeaseRequest): Promise<Lease> {
    checkId('lease name', name);
    checkId('lease owner', owner);
    const expiresAt = leaseEnd(this.now(), ttlMs);
    const token = this.#use(() => this.#sql.takeLease({ name, owner, expiresAt }, this.#stamp()));
    if (token !== undefined) return { name, owner, token, expiresAt };
    return this.#write(() => {
      const current = this.#sql.lease(name);
      if (current && isHeldByAnother(current, { owner, isGone }, this.now()))
        throw leaseHeld(name, current.owner, current.expiresAt);
      return this.#setLease({ name, owner, token: (current?.token ?? 0) + 1 }, ttlMs);
    });
  }

  async renewLease(lease: Lease, ttlMs: number): Promise<Lease> {
    return this.#write(() => {
      this.#checkLease(lease);
      return this.#setLease(lease, ttlMs);
    });
  }

  async releaseLease(lease: Lease): Promise<void> {
    this.#use(() => this.#sql.endLease.run(this.#stamp(), lease.name, lease.token));
  }

  async appendRaw(threadId: string, runId: string, lines: readonly RawLine[]): Promise<void> {
    checkId('run id', runId);
    this.#write(() => {
      const { key } = this.#row(threadId);
      checkRawLines(runId, this.#sql.lastRaw(key, runId), lines);
      for (const { n, ts, stream, line } of lines)
        this.#sql.insertRaw.run(key, runId, n, ts, stream, Buffer.from(line.buffer, line.byteOffset, line.byteLength));
    });
  }

  async readRaw(threadId: string, runId: string, range?: { after?: number; limit?: number }): Promise<RawLine[]> {
    const { after, limit } = checkRange(range);
    return this.#use(() => this.#sql.rawLines(this.#row(threadId).key, runId, after, limit));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopPolling();
    this.#live.close();
    closeDatabase(this.#db);
  }

  /** Which rows hold which part of a thread's history, oldest first. */
  #segments(place: Place, after: number, before: number): { key: number; end: number }[] {
    const segments: { key: number; end: number }[] = [];
    let end = before;
    for (let at: Place | undefined = place; at !== undefined && end > after + 1; at = this.#sql.owner(at)) {
      segments.unshift({ key: at.key, end });
      end = Math.min(end, at.fork + 1);
    }
    return segments;
  }

  #insertThread(thread: NewThread, { owner, fork, imported, branchedFrom }: NewPlace): Thread {
    const { id = newId(), resourceId = 'default', title, metadata = {} } = thread;
    if (this.#sql.thread(checkId('thread id', id)) !== undefined) throw threadExists(id);
    const info: ThreadInfo = { title, metadata: mergeMetadata({}, metadata), branchedFrom };
    const now = this.#stamp();
    this.#sql.insertThread.run(
      id,
      checkId('resource id', resourceId),
      JSON.stringify(info),
      now,
      now,
      owner,
      fork,
      imported,
    );
    return toThread(this.#row(id));
  }

  /** Removes a deleted thread that nothing branches from, then the deleted ones it branched from. */
  #purge(key: number): void {
    for (let at: number | null = key; at !== null; ) {
      const row = this.#sql.hidden(at);
      if (row === undefined || this.#sql.hasBranches(at)) return;
      this.#sql.deleteEvents.run(at);
      this.#sql.deleteOnce.run(at);
      this.#sql.deleteThread.run(at);
      at = row.owner;
    }
  }

  #row(threadId: string): ThreadRow {
    const row = this.#sql.thread(threadId);
    if (row === undefined) throw threadNotFound(threadId);
    return row;
  }

  #checkOnce(threadId: string, key: number, once: string): void {
    const seq = this.#sql.once(key, once);
    if (seq !== undefined) throw onceConflict(threadId, once, seq);
  }

  #checkLease(lease: Lease): void {
    if (this.#sql.lease(lease.name)?.token !== lease.token) throw leaseLost(lease);
  }

  #setLease({ name, owner, token }: Pick<Lease, 'name' | 'owner' | 'token'>, ttlMs: number): Lease {
    const expiresAt = leaseEnd(this.now(), ttlMs);
    this.#sql.setLease.run(name, owner, token, expiresAt);
    return { name, owner, token, expiresAt };
  }

  /** Looks for what other processes appended, while a tail waits. */
  #setPolling(on: boolean, pollMs: number): void {
    this.#isAwaited = on;
    if (!on) this.#poll?.unref();
    else if (this.#poll !== undefined) this.#poll.ref();
    else if (!this.#closed) {
      this.#poll = setInterval(() => this.#look(), pollMs);
      this.#look();
    }
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #look(): void {
    if (!this.#isAwaited) return this.#stopPolling();
    const version = this.#version();
    if (version === this.#seen) return;
    this.#seen = version;
    this.#newest.clear();
    this.#live.wakeAll();
  }

  /** As far as is known here: what other processes appended since is found when a tail waits. */
  #isNewest(threadId: string, seq: number): boolean {
    return this.#newest.get(threadId) === seq;
  }

  /** When the file cannot be used the tails look themselves, and end with what is wrong. */
  #version(): number {
    try {
      return this.#sql.dataVersion();
    } catch {
      return Number.NaN;
    }
  }

  #write<Result>(action: () => Result): Result {
    return this.#use(() => this.#sql.immediate(action) as Result);
  }

  #use<Result>(action: () => Result): Result {
    if (this.#closed) throw logClosed();
    return translateErrors(this.#path, action);
  }

  #stamp(): string {
    return new Date(this.now()).toISOString();
  }
}
