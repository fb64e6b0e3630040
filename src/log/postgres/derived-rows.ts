import { usageNames } from '../../events/usage-sum.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import {
  checkSearch,
  hitIn,
  type IndexRest,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
} from '../derived/search.ts';
import { firstOrderAt, textOfEvents } from '../derived/searched-text.ts';
import { outlineEvents } from '../derived/outline-places.ts';
import { type Derived, ThreadDerivation } from '../derived/thread-derivation.ts';
import {
  asksForTools,
  totalsOf,
  type UsageQuery,
  type UsageRow,
  type GroupedUsage,
  storedDays,
  toStoredCalls,
} from '../derived/usage-totals.ts';
import { wordsOf } from '../derived/words.ts';
import { decodeEvent } from '../encode.ts';
import type { Connections } from './connections.ts';
import { derivedStatements } from './derived-statements.ts';
import { type ThreadRow, toThread } from './thread-rows.ts';

/** How many events are derived from at once, how often before a search or an outline, and how many threads are kept at hand. */
const eventsAtOnce = 500;
const stepsBeforeSearch = 200;
const stepsBeforeOutline = 20;
const mostThreads = 200;
const textsAtOnce = 64;

interface BacklogRow {
  readonly position: string;
  readonly thread: string;
  readonly after: string;
  readonly title: string | null;
  readonly imported: string | null;
  readonly newest: string;
}

/** What a pass through the marked threads did. */
interface Pass {
  /** Whether it derived from everything that was marked when it began. */
  readonly isComplete: boolean;
  /** Whether it ended early, and the next one can continue. */
  readonly hasMore: boolean;
}

interface TextRow extends ThreadRow {
  readonly text_key: string;
  readonly thread: string;
  readonly text_seq: string;
  readonly last: string;
  readonly message: string;
}

interface UsedRow {
  readonly resource: string;
  readonly day: string;
  readonly agent: string;
  readonly model: string;
  readonly thread: string;
  readonly tool: string;
  readonly calls: number;
  readonly counts: readonly (number | null)[];
  readonly failed: number;
  readonly tool_ms: number;
}

/**
 * Keeps what is derived from events beside them. An append marks its thread in its own transaction, so that nothing is
 * missed; it is derived from shortly after, or before it is asked for: an append stays one round trip.
 */
export class DerivedRows {
  readonly #connections: Connections;
  readonly #sql: ReturnType<typeof derivedStatements>;
  readonly #current = new Map<string, ThreadDerivation>();
  #working: Promise<Pass> | undefined;
  /** What begins when the work under way has ended. */
  #next: Promise<Pass> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connections: Connections, schema: string) {
    this.#connections = connections;
    this.#sql = derivedStatements(schema);
  }

  /** Derives from what is marked shortly after; a failure is left to the next time. */
  schedule(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#catchUp().then(
        ({ isComplete }) => isComplete || this.schedule(),
        () => {},
      );
    }, 500);
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    // Nothing is scheduled any more.
    this.#timer ??= setTimeout(() => {}, 0);
  }

  /** Derives from everything of one thread, or from some of it. */
  async catchUpThread(threadId: string, mostSteps: number = Number.MAX_SAFE_INTEGER): Promise<void> {
    let last: string | undefined;
    for (let steps = 0; steps < mostSteps; steps++) {
      const [row] = await this.#connections.query<BacklogRow>(this.#sql.backlogOf, [threadId]);
      // Others may derive from it at the same time; one that cannot be derived from stays where it is.
      if (row === undefined || ((await this.#step(row)) === undefined && row.after === last)) return;
      last = row.after;
    }
  }

  /** The newest outline up to a seq; one that is far behind is not waited for. */
  async outlineAt(threadId: string, seq: number): Promise<OutlineSnapshot | undefined> {
    const found = await this.#outline(threadId, seq);
    const eventsBehind = seq - (found?.seq ?? 0);
    if (eventsBehind < 2 * outlineEvents || eventsBehind > stepsBeforeOutline * eventsAtOnce) return found;
    await this.catchUpThread(threadId, stepsBeforeOutline);
    return this.#outline(threadId, seq);
  }

  async seqOfMessage(threadId: string, messageId: string): Promise<number | undefined> {
    const [row] = await this.#connections.query<{ seq: string }>(this.#sql.message, [threadId, messageId]);
    return row && Number(row.seq);
  }

  async usage(query: UsageQuery): Promise<GroupedUsage[]> {
    await this.#catchUp();
    const { from, to } = storedDays(query);
    const { resourceId = null, by = [] } = query;
    const values = [from, to, resourceId, by.includes('thread'), asksForTools(query)];
    const rows = await this.#connections.query<UsedRow>(this.#sql.used, values);
    return totalsOf(rows.map(toUsage), query);
  }

  /** Derives from some of what is marked; never rejects. */
  async indexSome(): Promise<IndexRest> {
    try {
      const { hasMore } = await this.#catchUp();
      const [row] = await this.#connections.query<{ count: string }>(this.#sql.backlogCount, []);
      return { threads: Number(row?.count), hasMore };
    } catch {
      return { threads: 1, hasMore: false }; // A query that needs the index reports what prevents it.
    }
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const { words, resourceId, limit, before } = checkSearch(query);
    const { isComplete } = await this.#catchUp();
    const hits: SearchHit[] = [];
    const wanted = words.map(word => `'${word}'`).join(' & ');
    for (let from = String(before); words.length > 0; ) {
      const rows = await this.#connections.query<TextRow>(this.#sql.find, [
        wanted,
        from,
        textsAtOnce,
        resourceId ?? null,
      ]);
      for (const [index, row] of rows.entries()) {
        from = row.text_key;
        if (row.id !== null) hits.push(await this.#hit(row, words));
        if (hits.length >= limit && rows[index + 1]?.text_key !== from) return { hits, next: from, isComplete };
      }
      if (new Set(rows.map(({ text_key }) => text_key)).size < textsAtOnce) break;
    }
    return { hits, isComplete };
  }

  async #hit(row: TextRow, words: readonly string[]): Promise<SearchHit> {
    const thread = toThread(row);
    const seq = Number(row.text_seq);
    const place = { order: Number(row.text_key), seq, messageId: row.message };
    if (seq === 0) return hitIn(thread, place, thread.title ?? '', words);
    return hitIn(thread, place, textOfEvents(await this.#events(row.thread, seq - 1, Number(row.last))), words);
  }

  /** Derives from everything that is marked now, as far as that does not take long. */
  #catchUp(): Promise<Pass> {
    if (this.#working === undefined)
      return (this.#working = this.#work().finally(() => {
        this.#working = undefined;
      }));
    // What is under way began before the newest marks.
    const begin = () => {
      this.#next = undefined;
      return this.#catchUp();
    };
    return (this.#next ??= this.#working.then(begin, begin));
  }

  /**
   * Works once through what is marked when it begins. What is appended meanwhile waits for the next time: following an
   * agent that writes would take several statements for every few events.
   */
  async #work(): Promise<Pass> {
    const [end] = await this.#connections.query<{ position: string | null }>(this.#sql.backlogEnd, []);
    let isComplete = true;
    let position = '0';
    let failed: BacklogRow | undefined;
    for (let steps = 0; steps < stepsBeforeSearch; steps++) {
      const [row] = await this.#connections.query<BacklogRow>(this.#sql.backlog, [position, end?.position ?? '0']);
      if (row === undefined) return { isComplete, hasMore: false };
      const upTo = await this.#step(row);
      // When another process derived from it meanwhile, it is not where it was.
      const isStuck = upTo === undefined && row.position === failed?.position && row.after === failed.after;
      if (isStuck) isComplete = false;
      if (isStuck || (upTo !== undefined && upTo >= Number(row.newest))) position = row.position;
      failed = upTo === undefined ? row : undefined;
    }
    return { isComplete: false, hasMore: true };
  }

  /** Derives from some events of a thread; returns up to which seq, undefined when another process did it. */
  async #step({ thread, after: text, title, imported, newest }: BacklogRow): Promise<number | undefined> {
    const after = Number(text);
    const derivation = await this.#derivationAt(thread, after);
    const isImported = Number(imported ?? 0) > after;
    const end = isImported ? Number(imported) : Number(newest);
    const events = await this.#events(thread, after, Math.min(end, after + eventsAtOnce));
    const derived = derivation.take(events, () => 0);
    const upTo = events.length === 0 ? end : derivation.seq;
    const words = title === null ? [] : wordsOf(JSON.parse(title) as string);
    const values = [thread, after, upTo, title, words, ...rowsOf(derived, isImported)];
    const [row] = await this.#connections.query<{ is_stored: boolean }>(this.#sql.store, values);
    if (row?.is_stored !== true) return undefined;
    this.#current.set(thread, derivation);
    if (this.#current.size > mostThreads) this.#current.delete(this.#current.keys().next().value as string);
    return upTo;
  }

  async #derivationAt(thread: string, seq: number): Promise<ThreadDerivation> {
    const current = this.#current.get(thread);
    // Nobody else may continue with it meanwhile.
    this.#current.delete(thread);
    if (current?.seq === seq) return current;
    const [row] = await this.#connections.query<{ body: string }>(this.#sql.outlineByKey, [thread, seq]);
    const derivation = new ThreadDerivation(row && (JSON.parse(row.body) as OutlineSnapshot));
    while (derivation.seq < seq) {
      const values = [thread, derivation.seq, seq + 1, eventsAtOnce];
      const rows = await this.#connections.query<{ body: string }>(this.#sql.shared, values);
      if (rows.length === 0) break;
      derivation.take(
        rows.map(({ body }) => decodeEvent(body)),
        () => 0,
      );
    }
    return derivation;
  }

  async #events(thread: string, after: number, upTo: number): Promise<LoggedEvent[]> {
    const rows = await this.#connections.query<{ body: string }>(this.#sql.own, [thread, after, upTo]);
    return rows.map(({ body }) => decodeEvent(body));
  }

  async #outline(threadId: string, seq: number): Promise<OutlineSnapshot | undefined> {
    const [row] = await this.#connections.query<{ body: string }>(this.#sql.outline, [threadId, seq]);
    return row && (JSON.parse(row.body) as OutlineSnapshot);
  }
}

/** What was derived, as the function that stores it takes it. */
function rowsOf({ outlines, texts, used }: Derived, isImported: boolean): string[] {
  const calls = toStoredCalls(used, isImported);
  return [
    JSON.stringify(outlines.map(outline => [outline.seq, JSON.stringify(outline)])),
    JSON.stringify(
      texts.map(({ seq, lastSeq, messageId, time, text }) => [
        seq,
        lastSeq,
        messageId,
        wordsOf(text),
        firstOrderAt(time),
      ]),
    ),
    JSON.stringify(
      calls.map(({ day, agentId, modelId, tool, counts: call, failedCalls, toolMs }) => [
        day,
        plain(agentId),
        plain(modelId),
        plain(tool),
        ...usageNames.map(name => call[name] ?? null),
        failedCalls,
        toolMs,
      ]),
    ),
  ];
}

function toUsage(row: UsedRow): UsageRow {
  const { resource, day, agent, model, thread, tool, calls, counts: list, failed, tool_ms } = row;
  const sums = Object.fromEntries(
    usageNames.flatMap((name, index) => (list[index] == null ? [] : [[name, list[index]]])),
  );
  return {
    resourceId: resource,
    threadId: thread,
    day,
    agentId: agent,
    modelId: model,
    tool,
    calls,
    counts: { inputTokens: 0, outputTokens: 0, ...sums },
    failedCalls: failed,
    toolMs: tool_ms,
  };
}

/** The name without characters that the database does not store. */
function plain(name: string): string {
  return name.replaceAll(/\p{Cc}|\p{Cs}/gu, ' ');
}
