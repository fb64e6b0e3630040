import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import { checkConditions } from '../append-conditions.ts';
import {
  checkBranchPoint,
  checkCount,
  checkRawAppendOptions,
  checkThreadChange,
  checkThreadFilter,
  importedInBranch,
  threadNotFound,
} from '../checks.ts';
import type { IndexRest, SearchPage, SearchQuery } from '../derived/search.ts';
import type { UsageQuery, GroupedUsage } from '../derived/usage-totals.ts';
import { encodeEvents, ownEvents } from '../encode.ts';
import { defaultMaxEventBytes } from '../event-size.ts';
import { importedTimeText, timeText } from '../event-time.ts';
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
} from '../event-log.ts';
import { LiveTails } from '../live-tails.ts';
import type { OpenThing } from '../open-things.ts';
import { copyMetadata, copyNames } from '../threads.ts';
import { systemUptime } from '../uptime.ts';
import { AppendedOutlines } from './appended-outlines.ts';
import { DeletedThreads } from './deleted-threads.ts';
import { DerivationBacklog, stepsBeforeSearch } from './derivation-backlog.ts';
import { DerivedRows } from './derived-rows.ts';
import { translateErrors } from './errors.ts';
import { FileWatch } from './file-watch.ts';
import { GroupCommit } from './group-commit.ts';
import { insertThread, type NewPlace } from './insert-thread.ts';
import { Leases } from './leases.ts';
import { LockWait } from './lock-wait.ts';
import { NewestEvents } from './newest-events.ts';
import { NewestThread } from './newest-thread.ts';
import { closeDatabase, openDatabase } from './open.ts';
import { type Connection } from './statement.ts';
import { canWrite, openToRead } from './open-to-read.ts';
import { RawLines } from './raw-lines.ts';
import { checkSqliteLogOptions, type SqliteLogOptions } from './sqlite-log-options.ts';
import { StoredInfo } from './stored-info.ts';
import type { Tables } from './tables.ts';
import { ThreadHistory } from './thread-history.ts';
import { toThread } from './thread-table.ts';
import { type Place, type ThreadRow } from './thread-row.ts';

const defaultLockWaitMs = 30_000;

/**
 * A log in one SQLite file, which any number of processes may use at once. With durability `process` (the default)
 * what was acknowledged survives the process; after a power loss the newest appends may be missing, never a part of
 * one. With `power` everything acknowledged is on the disk.
 */
export class SqliteLog implements EventLog {
  readonly #path: string;
  readonly #db: Connection;
  readonly #sql: Tables;
  readonly #history: ThreadHistory;
  readonly #rawLines: RawLines;
  readonly #backlog: DerivationBacklog;
  readonly #derived: DerivedRows;
  readonly #outlines: AppendedOutlines;
  readonly #deleted: DeletedThreads;
  readonly #watch: FileWatch;
  readonly #lock: LockWait;
  readonly #group: GroupCommit;
  readonly #live: LiveTails;
  readonly now: () => number;
  readonly #leases: Leases;
  readonly isLocal = true;
  readonly maxEventBytes: number;
  readonly #newest = new NewestEvents();
  readonly #info = new StoredInfo();
  readonly #newestThread = new NewestThread();
  #closed = false;

  /**
   * Opens the file, and creates it with its folder when it does not exist. Throws `log_busy` when another process holds
   * its lock for longer than `openWaitMs`; `SqliteLog.open` waits for it without holding up anything.
   */
  constructor(path: string, options: SqliteLogOptions = {}) {
    checkSqliteLogOptions(options);
    const { durability = 'process', pollMs = 50, now = Date.now, maxEventBytes = defaultMaxEventBytes } = options;
    const { lockWaitMs = defaultLockWaitMs, openWaitMs = 2_000, maxFileBytes, allowReadOnly = false } = options;
    this.#path = path;
    this.now = now;
    this.maxEventBytes = maxEventBytes;
    const isReadOnly = allowReadOnly && !canWrite(path);
    const { db, tables } = isReadOnly
      ? openToRead(path)
      : openDatabase(path, { durability, waitMs: openWaitMs, maxBytes: maxFileBytes });
    this.#db = db;
    this.#sql = tables;
    this.#history = new ThreadHistory(tables);
    this.#rawLines = new RawLines(tables.rawLines);
    this.#leases = new Leases({ table: tables.leases, now, uptime: options.uptime ?? options.now ?? systemUptime });
    this.#lock = new LockWait(lockWaitMs);
    this.#group = new GroupCommit({
      transaction: tables.transaction,
      perform: (action, beforeWaiting) => this.#perform(action, beforeWaiting),
      isLockAwaited: () => this.#lock.isAwaited,
    });
    this.#watch = new FileWatch(db, { pollMs, onChange: () => this.#onChange() });
    this.#live = new LiveTails(waiting => this.#watch.await(waiting));
    this.#backlog = new DerivationBacklog(db, tables, action => this.#write(action));
    this.#derived = new DerivedRows(tables, this.#backlog, action => this.#read(action));
    this.#outlines = new AppendedOutlines(tables);
    this.#deleted = new DeletedThreads({
      db,
      tables,
      derived: this.#derived,
      write: action => this.#write(action),
      perform: action => this.#perform(action),
    });
    if (!isReadOnly) this.#deleted.removeRest();
  }

  /** Opens the file as the constructor does, and waits up to `lockWaitMs` while another process holds its lock. */
  static async open(path: string, options: SqliteLogOptions = {}): Promise<SqliteLog> {
    const lock = new LockWait(options.lockWaitMs ?? defaultLockWaitMs);
    return lock.write(() => new SqliteLog(path, { ...options, openWaitMs: 0 }));
  }

  async append(
    threadId: string,
    events: readonly AgentEvent[],
    options: AppendOptions = {},
  ): Promise<{ firstSeq: number; lastSeq: number }> {
    const { once, lease, resumes, metadata, imported } = options;
    let given = { events, metadata };
    const copy = () => {
      given = { events: ownEvents(events), metadata: metadata && copyMetadata(metadata) };
    };
    const write = () => {
      const now = this.now();
      const isFresh = this.#newestThread.isFresh(threadId, now);
      const head = this.#sql.threads.head(threadId, lease?.name);
      if (head === undefined) throw threadNotFound(threadId);
      const { key: thread, seq, isMarked } = head;
      checkConditions(options, {
        threadId,
        seq,
        importedSeq: () => this.#row(threadId).imported ?? undefined,
        seqOfKey: key => this.#sql.events.once(thread, key),
        isHeld: ({ token }) => token === head.token,
      });
      const stored = encodeEvents(given.events, {
        firstSeq: seq + 1,
        now: this.now,
        maxEventBytes: this.maxEventBytes,
        newestTs: imported === true ? undefined : this.#newestTs(threadId, seq),
        imported,
      });
      const { bodies, open, events: appended } = stored;
      const lastSeq = seq + bodies.length;
      this.#sql.events.insert(thread, seq + 1, bodies);
      if (!isMarked && bodies.length > 0) this.#backlog.mark(thread, seq);
      if (once !== undefined) this.#sql.events.insertOnce(thread, once, lastSeq);
      if (open !== undefined) this.#sql.open.change(thread, open, lease?.owner);
      if (resumes !== undefined && lease !== undefined) this.#sql.open.own(thread, resumes, lease.owner);
      if (imported === true) this.#sql.threads.setImported(thread, lastSeq);
      if (given.metadata !== undefined) this.#merge(thread, threadId, given.metadata);
      if (imported === true) {
        const { updated } = this.#row(threadId);
        this.#sql.threads.touch(thread, importedTimeText(appended.at(-1)?.ts, updated, now));
      } else if (!isFresh) this.#sql.threads.touch(thread, timeText(now));
      const keepOutline = this.#outlines.append(thread, seq, stored);
      return () => {
        keepOutline();
        this.#backlog.schedule();
        if (!isFresh && imported !== true) this.#newestThread.moved(threadId, now);
        this.#newest.set(threadId, lastSeq, appended.at(-1)?.ts);
        this.#live.publish(threadId, stored);
        return { firstSeq: seq + 1, lastSeq };
      };
    };
    return this.#group.write(threadId, write, copy);
  }

  async read(threadId: string, range?: ReadRange): Promise<LoggedEvent[]> {
    return this.#read(() => this.#history.events(threadId, range));
  }

  async readTexts(threadId: string, range?: ReadRange): Promise<string[]> {
    return this.#read(() => this.#history.texts(threadId, range));
  }

  tail(threadId: string, after = 0, options: TailOptions = {}): Tail {
    const isNewest = (seq: number) => this.#newest.isNewest(threadId, seq);
    return this.#live.tail({ read: (id, range) => this.read(id, range), isNewest }, threadId, after, options);
  }

  onDeleted(listener: (threadId: string) => void): () => void {
    return this.#live.onEnd(listener);
  }

  async createThread(thread: NewThread = {}): Promise<Thread> {
    this.#newestThread.forget();
    const imported = thread.imported === true ? 0 : null;
    let given = thread;
    const copy = () => (given = copyNames(thread));
    return this.#write(() => this.#insertThread(given, { owner: null, fork: 0, imported }), copy);
  }

  async getThread(threadId: string): Promise<Thread | undefined> {
    return this.#read(() => {
      const row = this.#sql.threads.find(threadId);
      return row && toThread(row);
    });
  }

  async updateThread(threadId: string, change: ThreadChange): Promise<Thread> {
    this.#newestThread.forget();
    checkThreadChange(change);
    let given = change;
    const copy = () => (given = copyNames(change));
    return this.#write(() => {
      const row = this.#row(threadId);
      const before = toThread(row);
      const after = { ...row, info: this.#info.after(row, given), updated: timeText(this.now()) };
      this.#sql.threads.updateInfo(after);
      this.#derived.setTitle(after, before.title, given.title ?? before.title);
      return toThread(after);
    }, copy);
  }

  async listThreads(filter: ThreadFilter = {}): Promise<Thread[]> {
    checkThreadFilter(filter);
    const { resourceId, limit = 100, after, open } = filter;
    const most = checkCount('limit', limit, 0);
    return this.#read(() => this.#sql.threads.list({ resourceId, after, open, limit: most }).map(toThread));
  }

  async deleteThread(threadId: string): Promise<void> {
    const key = await this.#perform(() => {
      const { key } = this.#sql.transaction.run(() => {
        const row = this.#sql.threads.place(threadId);
        if (row === undefined) throw threadNotFound(threadId);
        this.#derived.removeTitle(row.key);
        this.#sql.threads.hide(row.key);
        this.#sql.open.deleteAll(row.key);
        return row;
      });
      this.#newest.delete(threadId);
      this.#info.clear();
      this.#live.end(threadId);
      return key;
    });
    await this.#deleted.remove([key]);
  }

  async branch(threadId: string, seq: number, thread: NewThread = {}): Promise<Thread> {
    this.#newestThread.forget();
    let given = thread;
    const copy = () => (given = copyNames(thread));
    return this.#write(() => {
      const from = this.#row(threadId);
      checkBranchPoint(threadId, seq, from.seq);
      let owner: Place | undefined = from;
      while (owner !== undefined && seq <= owner.fork) owner = this.#sql.threads.owner(owner);
      const imported = importedInBranch(from.imported ?? undefined, seq) ?? null;
      const place = { owner: owner?.key ?? null, fork: seq, imported, branchedFrom: { threadId, seq } };
      return this.#insertThread({ resourceId: from.resource, ...given }, place);
    }, copy);
  }

  async onceKeys(threadId: string): Promise<{ readonly key: string; readonly seq: number }[]> {
    return this.#read(() => this.#sql.events.onceKeys(this.#history.place(threadId).key));
  }

  async acquireLease(name: string, request: LeaseRequest): Promise<Lease> {
    return this.#write(() => this.#leases.acquire(name, request));
  }

  async renewLease(lease: Lease, ttlMs: number): Promise<Lease> {
    return this.#write(() => this.#leases.renew(lease, ttlMs));
  }

  async releaseLease(lease: Lease): Promise<void> {
    return this.#write(() => this.#leases.release(lease));
  }

  async leaseOwner(name: string): Promise<string | undefined> {
    return this.#read(() => this.#leases.owner(name));
  }

  async appendRaw(
    threadId: string,
    runId: string,
    lines: readonly RawLine[],
    options: RawAppendOptions = {},
  ): Promise<void> {
    checkRawAppendOptions(options);
    let given = lines;
    const copy = () => (given = lines.map(line => ({ ...line, line: new Uint8Array(line.line) })));
    return this.#write(() => {
      const { key } = this.#history.place(threadId);
      if (options.lease !== undefined) this.#leases.check(options.lease);
      this.#rawLines.append(key, runId, given);
    }, copy);
  }

  async readRaw(threadId: string, runId: string, range?: { after?: number; limit?: number }): Promise<RawLine[]> {
    return this.#read(() => this.#rawLines.read(this.#history.place(threadId).key, runId, range));
  }

  /** Replaces the open things in the index of a thread when `seq` is its newest event; returns whether it is. */
  async replaceOpen(threadId: string, things: readonly OpenThing[], seq: number): Promise<boolean> {
    return this.#write(() => this.#sql.open.replace(this.#sql.threads.head(threadId), things, seq));
  }

  async outlineAt(threadId: string, seq: number): Promise<OutlineSnapshot | undefined> {
    return this.#derived.outlineAt(threadId, seq);
  }

  async seqOfMessage(threadId: string, messageId: string): Promise<number | undefined> {
    return this.#derived.seqOfMessage(threadId, messageId);
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    return this.#derived.search(query);
  }

  indexSome(): Promise<IndexRest> {
    return this.#backlog.catchUp(stepsBeforeSearch);
  }

  async usage(query: UsageQuery = {}): Promise<GroupedUsage[]> {
    return this.#derived.usage(query);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#group.flush();
    this.#closed = true;
    this.#watch.close();
    this.#lock.close();
    this.#deleted.close();
    this.#backlog.close();
    this.#live.close();
    translateErrors(this.#path, () => closeDatabase(this.#db));
  }

  #insertThread(thread: NewThread, place: NewPlace): Thread {
    return insertThread({ tables: this.#sql, derived: this.#derived, thread, place, now: this.now() });
  }

  #row(threadId: string): ThreadRow {
    const row = this.#sql.threads.find(threadId);
    if (row === undefined) throw threadNotFound(threadId);
    return row;
  }

  #merge(key: number, id: string, metadata: ThreadChange['metadata'] & object): void {
    const info = this.#sql.threads.info(key, id);
    this.#sql.threads.setInfo(key, this.#info.after({ id, info }, { metadata }));
  }

  /** The time of a thread's newest event. */
  #newestTs(threadId: string, seq: number): string | undefined {
    const known = this.#newest.timeAt(threadId, seq);
    if (known !== undefined || seq === 0) return known;
    return this.#history.events(threadId, { after: seq - 1, limit: 1 })[0]?.ts;
  }

  /** Another process wrote to the file. */
  #onChange(): void {
    this.#newest.onChange();
    this.#live.wakeAll();
  }

  /** Performs an action in a transaction, after all that wait. */
  #write<Result>(action: () => Result, beforeWaiting?: () => void): Result | Promise<Result> {
    return this.#perform(() => this.#sql.transaction.run(action), beforeWaiting);
  }

  /** Performs an action that makes its own transaction, after all that wait. */
  #perform<Result>(action: () => Result, beforeWaiting?: () => void): Result | Promise<Result> {
    this.#group.flush();
    return this.#lock.write(() => translateErrors(this.#path, action), beforeWaiting);
  }

  #read<Result>(action: () => Result): Result | Promise<Result> {
    this.#group.flush();
    this.#backlog.noteUse();
    return this.#lock.read(() => translateErrors(this.#path, action));
  }
}
