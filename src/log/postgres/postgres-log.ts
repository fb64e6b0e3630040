import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import {
  checkBranchPoint,
  checkCount,
  checkRange,
  checkRawAppendOptions,
  checkThreadChange,
  checkThreadFilter,
  isUsableId,
  leaseEnd,
  logClosed,
  threadExists,
  threadNotFound,
} from '../checks.ts';
import type { IndexRest, SearchPage, SearchQuery } from '../derived/search.ts';
import { checkUsageQuery, type UsageQuery, type GroupedUsage } from '../derived/usage-totals.ts';
import { decodeEvent } from '../encode.ts';
import { defaultMaxEventBytes } from '../event-size.ts';
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
import { LiveTails, type TailSource } from '../live-tails.ts';
import type { OpenThing } from '../open-things.ts';
import { SerialQueues } from '../../base/serial-queue.ts';
import { Appends } from './appends.ts';
import { Connections } from './connections.ts';
import { DatabaseClock } from './database-clock.ts';
import { pastTimeText } from '../event-time.ts';
import { DeletedThreads } from './deleted-threads.ts';
import { DerivedRows } from './derived-rows.ts';
import { loadPg } from './driver.ts';
import { FollowedThreads, type Followed } from './followed-threads.ts';
import { Leases } from './leases.ts';
import { type MessageCheck, MessageTable } from './message-table.ts';
import { NotifyFeed } from './notify-feed.ts';
import { replaceOpen } from './open-functions.ts';
import { checkPostgresLogOptions, type PostgresLogOptions } from './postgres-log-options.ts';
import { RawLines } from './raw-lines.ts';
import { migrate } from './schema.ts';
import { listing, createStatements } from './statements.ts';
import type { StoredMessage } from './stored-message.ts';
import { ThreadReads } from './thread-reads.ts';
import { metadataLines, newThreadRow, type ThreadRow, toThread } from './thread-rows.ts';

interface OnceRow {
  readonly key: string | null;
  readonly seq: string;
}

/**
 * A log in a PostgreSQL database, which any number of servers may use at once. What was acknowledged is committed: it
 * survives a power loss as far as the database is configured for it. A call whose connection breaks is repeated, and
 * recognised by the database when it had taken effect.
 */
export class PostgresLog implements EventLog {
  readonly #connections: Connections;
  readonly #schema: string;
  readonly #sql: ReturnType<typeof createStatements>;
  readonly #reads: ThreadReads;
  readonly #appends: Appends;
  readonly #leases: Leases;
  readonly #rawLines: RawLines;
  readonly #deleted: DeletedThreads;
  readonly #derived: DerivedRows;
  readonly #live = new LiveTails();
  readonly #followed: FollowedThreads;
  /** The channel of notifications; null when another feed carries the news. */
  readonly #channel: string | null;
  readonly #writes = new SerialQueues();
  readonly #clock = new DatabaseClock();
  readonly #givenNow: (() => number) | undefined;
  readonly now: () => number;
  readonly maxEventBytes: number;
  #closed = false;

  private constructor(connections: Connections, schema: string, options: PostgresLogOptions) {
    const { live, pollMs = 5_000, maxEventBytes = defaultMaxEventBytes, now } = options;
    this.#connections = connections;
    this.#schema = schema;
    this.#sql = createStatements(schema);
    this.#reads = new ThreadReads(connections, this.#sql);
    this.#leases = new Leases(connections, schema, () => this.#stamp());
    this.#rawLines = new RawLines(connections, schema);
    this.#deleted = new DeletedThreads(connections, schema);
    this.#derived = new DerivedRows(connections, schema);
    this.#givenNow = now;
    this.now = now ?? (() => this.#clock.now());
    this.maxEventBytes = maxEventBytes;
    this.#channel = live === undefined ? schema : null;
    this.#appends = new Appends({
      connections,
      schema,
      channel: this.#channel,
      now: this.now,
      stamp: () => this.#stamp(),
      maxEventBytes,
      clock: this.#clock,
    });
    this.#followed = new FollowedThreads({
      live: this.#live,
      feed: live ?? new NotifyFeed(connections, schema),
      pollMs,
      look: keys => this.#look(keys),
    });
  }

  /**
   * Opens the log in a database, and creates its tables or moves them forward. Throws `store_unreachable` when the
   * database cannot be reached, `log_newer` when a newer version wrote it, and `driver_missing` without the driver.
   */
  static async open(url: string, options: PostgresLogOptions = {}): Promise<PostgresLog> {
    checkPostgresLogOptions(options);
    const { schema = 'singletree', connections: most = 10, waitMs = 30_000, openWaitMs = 5_000 } = options;
    const connections = new Connections({ url, driver: await loadPg(), most, waitMs });
    try {
      await migrate(connections, schema, openWaitMs);
      const log = new PostgresLog(connections, schema, options);
      await log.#readClock();
      void log.#deleted.removeRest();
      log.#derived.schedule();
      return log;
    } catch (error) {
      await connections.close();
      throw error;
    }
  }

  async append(
    threadId: string,
    events: readonly AgentEvent[],
    options: AppendOptions = {},
  ): Promise<{ firstSeq: number; lastSeq: number }> {
    this.#checkOpen();
    const append = this.#appends.prepare(threadId, events, options);
    return this.#writes.run(threadId, async () => {
      const { firstSeq, topic, stored } = await append();
      this.#followed.publish(threadId, topic, stored);
      this.#derived.schedule();
      return { firstSeq, lastSeq: firstSeq + stored.events.length - 1 };
    });
  }

  async read(threadId: string, range?: ReadRange): Promise<LoggedEvent[]> {
    return (await this.readTexts(threadId, range)).map(decodeEvent);
  }

  async readTexts(threadId: string, range?: ReadRange): Promise<string[]> {
    this.#checkOpen();
    return this.#reads.texts(threadId, range);
  }

  tail(threadId: string, after = 0, options: TailOptions = {}): Tail {
    return this.#live.tail(this.#tailSource(threadId), threadId, after, options);
  }

  onDeleted(listener: (threadId: string) => void): () => void {
    return this.#live.onEnd(listener);
  }

  async createThread(thread: NewThread = {}): Promise<Thread> {
    this.#checkOpen();
    const created = await this.#insertThread(thread);
    if (created === undefined) throw threadExists(thread.id ?? '');
    return created;
  }

  async getThread(threadId: string): Promise<Thread | undefined> {
    this.#checkOpen();
    if (!isUsableId(threadId)) return undefined;
    const [row] = await this.#query<ThreadRow>('thread', [threadId]);
    return row && toThread(row);
  }

  async updateThread(threadId: string, change: ThreadChange): Promise<Thread> {
    this.#checkOpen();
    checkThreadChange(change);
    const { title, metadata } = change;
    if (!isUsableId(threadId)) throw threadNotFound(threadId);
    const lines = metadataLines(metadata);
    const values = () => [threadId, title === undefined ? null : JSON.stringify(title), ...lines, this.#stamp()];
    const [row] = await this.#writes.run(threadId, () => this.#query<ThreadRow>('update', values));
    if (row === undefined) throw threadNotFound(threadId);
    return toThread(row);
  }

  async listThreads(filter: ThreadFilter = {}): Promise<Thread[]> {
    this.#checkOpen();
    checkThreadFilter(filter);
    const { resourceId, limit = 100, after, open } = filter;
    checkCount('limit', limit, 0);
    if (resourceId !== undefined && !isUsableId(resourceId)) return [];
    const statement = listing(this.#schema, {
      hasResource: resourceId !== undefined,
      hasAfter: after !== undefined,
      open,
    });
    const values = [limit, resourceId ?? null, after?.updatedAt ?? null, after?.id ?? null];
    return (await this.#connections.query<ThreadRow>(statement, values)).map(toThread);
  }

  async deleteThread(threadId: string): Promise<void> {
    this.#checkOpen();
    if (!isUsableId(threadId)) throw threadNotFound(threadId);
    let wasRepeated = false;
    const values = (isRepeated: boolean) => {
      wasRepeated = isRepeated;
      return [threadId, this.#channel];
    };
    const key = await this.#writes.run(threadId, async () => {
      await this.#derived.catchUpThread(threadId);
      const [hidden] = await this.#query<{ key: string; made: string }>('hide', values);
      if (hidden === undefined && !wasRepeated) throw threadNotFound(threadId);
      this.#appends.forget(threadId);
      this.#live.end(threadId);
      if (hidden !== undefined) this.#followed.publishDeletion(hidden.made);
      return hidden?.key;
    });
    if (key !== undefined) await this.#deleted.remove(key);
  }

  async branch(threadId: string, seq: number, thread: NewThread = {}): Promise<Thread> {
    this.#checkOpen();
    checkCount('seq', seq, 0);
    if (!isUsableId(threadId)) throw threadNotFound(threadId);
    const created = await this.#insertThread(thread, { threadId, seq });
    if (created !== undefined) return created;
    const from = await this.getThread(threadId);
    if (from === undefined) throw threadNotFound(threadId);
    checkBranchPoint(threadId, seq, from.seq);
    throw threadExists(thread.id ?? '');
  }

  async onceKeys(threadId: string): Promise<{ readonly key: string; readonly seq: number }[]> {
    this.#checkOpen();
    const rows = isUsableId(threadId) ? await this.#query<OnceRow>('onceKeys', [threadId]) : [];
    if (rows.length === 0) throw threadNotFound(threadId);
    return rows.flatMap(({ key, seq }) => (key === null ? [] : [{ key, seq: Number(seq) }]));
  }

  async acquireLease(name: string, request: LeaseRequest): Promise<Lease> {
    this.#checkOpen();
    leaseEnd(this.now(), request.ttlMs);
    return this.#leases.acquire(name, request);
  }

  async renewLease(lease: Lease, ttlMs: number): Promise<Lease> {
    this.#checkOpen();
    leaseEnd(this.now(), ttlMs);
    return this.#leases.renew(lease, ttlMs);
  }

  async releaseLease(lease: Lease): Promise<void> {
    this.#checkOpen();
    await this.#leases.release(lease);
  }

  async leaseOwner(name: string): Promise<string | undefined> {
    this.#checkOpen();
    return this.#leases.owner(name);
  }

  async appendRaw(
    threadId: string,
    runId: string,
    lines: readonly RawLine[],
    options: RawAppendOptions = {},
  ): Promise<void> {
    this.#checkOpen();
    checkRawAppendOptions(options);
    const append = this.#rawLines.prepare(threadId, runId, lines, options.lease);
    await this.#writes.run(threadId, append);
  }

  async readRaw(threadId: string, runId: string, range?: { after?: number; limit?: number }): Promise<RawLine[]> {
    this.#checkOpen();
    return this.#rawLines.read(threadId, runId, range);
  }

  async outlineAt(threadId: string, seq: number): Promise<OutlineSnapshot | undefined> {
    this.#checkOpen();
    return this.#derived.outlineAt(threadId, seq);
  }

  async seqOfMessage(threadId: string, messageId: string): Promise<number | undefined> {
    this.#checkOpen();
    return isUsableId(messageId) ? this.#derived.seqOfMessage(threadId, messageId) : undefined;
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    this.#checkOpen();
    return this.#derived.search(query);
  }

  async indexSome(): Promise<IndexRest> {
    this.#checkOpen();
    return this.#derived.indexSome();
  }

  async usage(query: UsageQuery = {}): Promise<GroupedUsage[]> {
    this.#checkOpen();
    checkUsageQuery(query);
    return this.#derived.usage(query);
  }

  /**
   * Returns the messages of a thread with those that it shares, in the order in which they began, as all that was
   * appended says. The view `thread_messages` has the rows of every thread; it follows within about half a second.
   */
  async readMessages(threadId: string): Promise<StoredMessage[]> {
    this.#checkOpen();
    await this.#reads.place(threadId);
    return this.#derived.messages(threadId);
  }

  /**
   * Compares the table of messages, which is for people who use SQL, with the events of every thread; with `rebuild` the
   * messages of threads that differ are replaced.
   */
  async checkMessages({ rebuild = false }: { readonly rebuild?: boolean } = {}): Promise<MessageCheck> {
    this.#checkOpen();
    return new MessageTable(this.#connections, this.#derived, this.#schema).check(rebuild);
  }

  /** Replaces the open things in the index of a thread when `seq` is its newest event; returns whether it is. */
  async replaceOpen(threadId: string, things: readonly OpenThing[], seq: number): Promise<boolean> {
    this.#checkOpen();
    return this.#connections.use(client => replaceOpen(client, this.#schema, { threadId, things, seq }));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#live.close();
    this.#derived.close();
    await this.#followed.close();
    await this.#connections.close();
  }

  #tailSource(threadId: string): TailSource {
    let followed: Followed | undefined;
    const read = async (range?: ReadRange) => {
      checkRange(range);
      this.#checkOpen();
      followed ??= this.#followed.follow(await this.#reads.place(threadId));
      return (await this.#reads.texts(threadId, range, followed.key)).map(decodeEvent);
    };
    return {
      // A tail that reads while the log is closed ends without an error.
      read: (_id, range) => read(range).catch((error: unknown) => (this.#closed ? [] : Promise.reject(error))),
      isNewest: seq => followed?.newest === seq,
      onEnd: () => followed && this.#followed.release(followed),
    };
  }

  /** Undefined when the id is taken, or the thread has no such seq to branch from. */
  async #insertThread(thread: NewThread, from?: Thread['branchedFrom']): Promise<Thread | undefined> {
    const { id, values } = newThreadRow(thread, from);
    return this.#writes.run(from?.threadId ?? id, async () => {
      const created = () =>
        thread.createdAt === undefined ? this.#stamp() : pastTimeText(thread.createdAt, this.now());
      const [row] = await this.#query<ThreadRow>('create', () => [...values, created()]);
      return row && toThread(row);
    });
  }

  async #readClock(): Promise<void> {
    const measured = this.#clock.measure();
    const [row] = await this.#query<{ at_ms: string }>('now', []);
    measured(Number(row?.at_ms));
  }

  async #look(keys: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#query<{ key: string; seq: string }>('look', [keys]);
    return new Map(rows.map(({ key, seq }) => [key, Number(seq)]));
  }

  #query<Result>(
    name: keyof ReturnType<typeof createStatements>,
    values: Parameters<Connections['query']>[1],
    isRepeated = false,
  ): Promise<Result[]> {
    return this.#connections.query<Result>(this.#sql[name], values, isRepeated);
  }

  /** The time that is given for tests; null for that of the database. */
  #stamp(): string | null {
    return this.#givenNow === undefined ? null : new Date(this.#givenNow()).toISOString();
  }

  #checkOpen(): void {
    if (this.#closed) throw logClosed();
  }
}
