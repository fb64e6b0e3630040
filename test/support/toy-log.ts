import { type AgentEvent, newId } from '../../src/events/index.ts';
import {
  type AppendOptions,
  checks,
  copyThread,
  decodeEvent,
  encodeEvents,
  type EventLog,
  importedTimeText,
  type Lease,
  type LeaseRequest,
  LiveTails,
  mergeMetadata,
  type NewThread,
  nextInListing,
  openAfter,
  openOwnedBy,
  type OpenThing,
  pastTimeText,
  type RawAppendOptions,
  type RawLine,
  type ReadRange,
  type TailOptions,
  type Thread,
  type ThreadChange,
  type ThreadFilter,
} from '../../src/log/index.ts';

interface Row {
  thread: Thread;
  /** The stored texts, seq 1 first. */
  readonly texts: string[];
  /** What is open in it. */
  open: readonly OpenThing[];
  readonly once: Map<string, number>;
  readonly raw: Map<string, RawLine[]>;
}

/** A store in a few Maps. A branch copies its history: a real store shares it. */
export class ToyLog implements EventLog {
  readonly #rows = new Map<string, Row>();
  readonly #leases = new Map<string, Lease>();
  readonly #live = new LiveTails();
  readonly now: () => number;
  #closed = false;

  constructor({ now = Date.now }: { now?: () => number } = {}) {
    this.now = now;
  }

  async append(threadId: string, events: readonly AgentEvent[], options: AppendOptions = {}) {
    checks.checkAppendOptions(options);
    const row = this.#row(threadId);
    const { expectedSeq, once, lease, resumes, metadata = {}, imported = false } = options;
    const { seq } = row.thread;
    const usedAt = once === undefined ? undefined : row.once.get(checks.checkId('once key', once));
    if (expectedSeq !== undefined && expectedSeq !== seq) throw checks.seqConflict(threadId, expectedSeq, seq);
    if (once !== undefined && usedAt !== undefined) throw checks.onceConflict(threadId, once, usedAt);
    if (lease !== undefined) this.#checkLease(lease);
    if (imported) checks.checkImportable(row.thread);
    const newestTs = row.texts.slice(-1).map(decodeEvent)[0]?.ts;
    const encoding = { firstSeq: seq + 1, now: this.now, maxEventBytes: 16 * 2 ** 20, newestTs, imported };
    const stored = encodeEvents(events, encoding);
    const lastSeq = seq + events.length;
    const updatedAt = imported ? importedTimeText(events.at(-1)?.ts, row.thread.updatedAt, this.now()) : this.#stamp();
    const change = { seq: lastSeq, metadata: mergeMetadata(row.thread.metadata, metadata), updatedAt };
    row.thread = { ...row.thread, ...change, ...(imported && { importedSeq: lastSeq }) };
    row.texts.push(...stored.bodies);
    if (stored.open !== undefined) row.open = openAfter(row.open, stored.open, lease?.owner);
    if (resumes !== undefined && lease !== undefined) row.open = openOwnedBy(row.open, resumes, lease.owner);
    if (once !== undefined) row.once.set(once, lastSeq);
    this.#live.publish(threadId, stored);
    return { firstSeq: seq + 1, lastSeq };
  }

  async readTexts(threadId: string, range?: ReadRange) {
    const { after, before, limit, maxBytes } = checks.checkRange(range);
    const texts = this.#row(threadId).texts.slice(after, Math.max(0, before - 1));
    let bytes = 0;
    return texts.slice(0, limit).filter(text => (bytes += text.length) - text.length < maxBytes);
  }

  async read(threadId: string, range?: ReadRange) {
    return (await this.readTexts(threadId, range)).map(decodeEvent);
  }

  tail(threadId: string, after = 0, options: TailOptions = {}) {
    return this.#live.tail({ read: (id, range) => this.read(id, range) }, threadId, after, options);
  }

  async createThread(thread: NewThread = {}) {
    return this.#add(thread, thread.imported === true ? { importedSeq: 0 } : {}, []);
  }

  async branch(threadId: string, seq: number, thread: NewThread = {}) {
    const { thread: from, texts } = this.#row(threadId);
    checks.checkBranchPoint(threadId, seq, from.seq);
    const importedSeq = checks.importedInBranch(from.importedSeq, seq);
    const origin = { branchedFrom: { threadId, seq }, ...(importedSeq !== undefined && { importedSeq }) };
    return this.#add({ resourceId: from.resourceId, ...thread }, origin, texts.slice(0, seq));
  }

  async getThread(threadId: string) {
    this.#checkOpen();
    const row = this.#rows.get(threadId);
    return row && threadIn(row);
  }

  async updateThread(threadId: string, change: ThreadChange) {
    checks.checkThreadChange(change);
    const { title, metadata = {} } = change;
    const row = this.#row(threadId);
    const changed = { metadata: mergeMetadata(row.thread.metadata, metadata), updatedAt: this.#stamp() };
    row.thread = { ...row.thread, ...(title !== undefined && { title }), ...changed };
    return threadIn(row);
  }

  async listThreads(filter: ThreadFilter = {}) {
    this.#checkOpen();
    checks.checkThreadFilter(filter);
    const { resourceId, limit = 100, after } = filter;
    return [...this.#rows.values()]
      .map(threadIn)
      .filter(thread => filter.open === undefined || thread.open?.some(({ kind }) => kind === filter.open))
      .filter(thread => resourceId === undefined || thread.resourceId === resourceId)
      .filter(thread => after === undefined || nextInListing(after, thread) < 0)
      .toSorted(nextInListing)
      .slice(0, checks.checkCount('limit', limit, 0));
  }

  async deleteThread(threadId: string) {
    this.#row(threadId);
    this.#rows.delete(threadId);
    this.#live.end(threadId);
  }

  async acquireLease(name: string, request: LeaseRequest) {
    this.#checkOpen();
    checks.checkLeaseRequest(request);
    const { owner, ttlMs, isGone } = request;
    const held = this.#leases.get(checks.checkId('lease name', name));
    checks.checkId('lease owner', owner);
    if (held && checks.isHeldByAnother(held, { owner, isGone }, this.now()))
      throw checks.leaseHeld(name, held.owner, held.expiresAt);
    return this.#setLease({ name, owner, token: (held?.token ?? 0) + 1 }, ttlMs);
  }

  async renewLease(lease: Lease, ttlMs: number) {
    this.#checkOpen();
    this.#checkLease(lease);
    return this.#setLease(lease, ttlMs);
  }

  async releaseLease(lease: Lease) {
    this.#checkOpen();
    if (this.#leases.get(lease.name)?.token === lease.token) this.#setLease(lease, 0);
  }

  async appendRaw(threadId: string, runId: string, lines: readonly RawLine[], options: RawAppendOptions = {}) {
    checks.checkRawAppendOptions(options);
    const { lease } = options;
    const { raw } = this.#row(threadId);
    if (lease !== undefined) this.#checkLease(lease);
    const stored = raw.get(checks.checkId('run id', runId)) ?? [];
    checks.checkRawLines(runId, stored.length, lines);
    raw.set(runId, [...stored, ...structuredClone(lines)]);
  }

  async readRaw(threadId: string, runId: string, range?: { after?: number; limit?: number }) {
    const { after, limit } = checks.checkRange(range);
    return structuredClone((this.#row(threadId).raw.get(runId) ?? []).slice(after, after + limit));
  }

  async close() {
    this.#closed = true;
    this.#live.close();
  }

  #add(given: NewThread, origin: Pick<Thread, 'branchedFrom' | 'importedSeq'>, texts: string[]): Thread {
    this.#checkOpen();
    checks.checkNewThread(given);
    const { id = newId(), resourceId = 'default', title, metadata = {}, createdAt } = given;
    if (this.#rows.has(checks.checkId('thread id', id))) throw checks.threadExists(id);
    const now = pastTimeText(createdAt, this.now());
    const thread: Thread = {
      id,
      resourceId: checks.checkId('resource id', resourceId),
      ...(title !== undefined && { title }),
      metadata: mergeMetadata({}, metadata),
      createdAt: now,
      updatedAt: now,
      seq: texts.length,
      ...origin,
    };
    this.#rows.set(id, { thread, texts, open: [], once: new Map(), raw: new Map() });
    return copyThread(thread);
  }

  #row(threadId: string): Row {
    this.#checkOpen();
    const row = this.#rows.get(threadId);
    if (row === undefined) throw checks.threadNotFound(threadId);
    return row;
  }

  #checkLease(lease: Lease): void {
    if (this.#leases.get(lease.name)?.token !== lease.token) throw checks.leaseLost(lease);
  }

  #setLease({ name, owner, token }: Pick<Lease, 'name' | 'owner' | 'token'>, ttlMs: number): Lease {
    const lease = { name, owner, token, expiresAt: checks.leaseEnd(this.now(), ttlMs) };
    this.#leases.set(name, lease);
    return { ...lease };
  }

  #stamp(): string {
    return new Date(this.now()).toISOString();
  }

  #checkOpen(): void {
    if (this.#closed) throw checks.logClosed();
  }
}

function threadIn({ thread, open }: Row): Thread {
  return copyThread({ ...thread, ...(open.length > 0 && { open }) });
}
