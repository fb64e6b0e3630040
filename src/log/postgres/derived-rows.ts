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
import { completeMessage, MessageDerivation, type MessageRow } from '../derived/message-rows.ts';
import { textOfEvents } from '../derived/searched-text.ts';
import { outlineEvents } from '../derived/outline-places.ts';
import { ThreadDerivation } from '../derived/thread-derivation.ts';
import {
  asksForTools,
  totalsOf,
  type UsageQuery,
  type UsageRow,
  type GroupedUsage,
  storedDays,
} from '../derived/usage-totals.ts';
import { splitWords } from '../derived/words.ts';
import type { MessageTreeState } from '../../graph/conversation/message-tree.ts';
import { decodeEvent } from '../encode.ts';
import type { Connections } from './connections.ts';
import type { Statement } from './value-query.ts';
import { derivedLines } from './derived-lines.ts';
import { derivedStatements } from './derived-statements.ts';
import { messageLines } from './message-functions.ts';
import { type StoredMessage, type StoredMessageRow, toStoredMessage } from './stored-message.ts';
import { type ThreadRow, toThread } from './thread-rows.ts';

/** How many events are derived from at once, how often before a search or an outline, and how much is kept at hand. */
const eventsAtOnce = 500;
const stepsBeforeSearch = 200;
const stepsBeforeOutline = 20;
const mostThreads = 200;
const mostKept = 250_000;
const textsAtOnce = 64;

interface BacklogRow {
  readonly position: string;
  readonly thread: string;
  readonly after: string;
  readonly title: string | null;
  readonly imported: string | null;
  readonly fork: string;
  readonly newest: string;
}

/** Everything that is derived from the events of a thread, one after the other. */
interface Derivations {
  readonly derivation: ThreadDerivation;
  readonly messages: MessageDerivation;
}

/** The result of a pass through the marked threads. */
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
 * Maintains the tables derived from events. An append marks its thread in the same transaction, so that no event is
 * missed. Derivation runs shortly after it or before the next query, so that an append stays one round trip.
 */
export class DerivedRows {
  readonly #connections: Connections;
  readonly #sql: ReturnType<typeof derivedStatements>;
  readonly #current = new Map<string, Derivations>();
  #working: Promise<Pass> | undefined;
  /** The pass that starts when the current one has ended. */
  #next: Promise<Pass> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connections: Connections, schema: string) {
    this.#connections = connections;
    this.#sql = derivedStatements(schema);
  }

  /** Schedules a pass through the marked threads; after a failure the next append or query starts another one. */
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

  /** Derives from everything of one thread and of those whose events it shares, or from some of it. */
  async catchUpThread(threadId: string, mostSteps: number = Number.MAX_SAFE_INTEGER): Promise<void> {
    let last: BacklogRow | undefined;
    for (let steps = 0; steps < mostSteps; steps++) {
      const [row] = await this.#connections.query<BacklogRow>(this.#sql.backlogOf, [threadId]);
      if (row === undefined) return;
      // Others may derive from it at the same time; one that cannot be derived from stays where it is.
      const isStuck = (await this.#step(row)) === undefined && row.thread === last?.thread && row.after === last.after;
      if (isStuck) return;
      last = row;
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
    await this.catchUpThread(threadId, stepsBeforeSearch);
    const [row] = await this.#connections.query<{ seq: string }>(this.#sql.message, [threadId, messageId]);
    return row && Number(row.seq);
  }

  /** The messages of a thread with those that it shares, as its events say until now. */
  async messages(threadId: string): Promise<StoredMessage[]> {
    await this.catchUpThread(threadId);
    const values = [threadId, Number.MAX_SAFE_INTEGER];
    return (await this.#connections.query<StoredMessageRow>(this.#sql.messages, values)).map(toStoredMessage);
  }

  async usage(query: UsageQuery): Promise<GroupedUsage[]> {
    await this.#catchUp();
    const { from, to } = storedDays(query);
    const { resourceId = null, by = [] } = query;
    const values = [from, to, resourceId, by.includes('thread'), asksForTools(query)];
    const rows = await this.#connections.query<UsedRow>(this.#sql.used, values);
    return totalsOf(rows.map(toUsage), query);
  }

  /** Derives from some marked threads; never rejects. */
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
    // The current pass began before the newest marks.
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
  async #step({ thread, after: text, title, imported, fork, newest }: BacklogRow): Promise<number | undefined> {
    const after = Number(text);
    const { derivation, messages } = await this.#derivationsAt(thread, after);
    const isImported = Number(imported ?? 0) > after;
    const end = isImported ? Number(imported) : Number(newest);
    const events = await this.#events(thread, after, Math.min(end, after + eventsAtOnce));
    const derived = derivation.take(events, () => 0);
    for (const event of events) messages.take(event);
    const upTo = events.length === 0 ? end : derivation.seq;
    const words = title === null ? [] : splitWords(JSON.parse(title) as string);
    const rows = await this.#completed(thread, ownMessages(messages, Number(fork)));
    const tree = messages.stateToStore();
    const values = [thread, after, upTo, title, words, ...derivedLines(derived, isImported), messageLines(rows)];
    const trees = tree === undefined ? [null, null] : [tree.seq, JSON.stringify(tree)];
    const [row] = await this.#connections.query<{ is_stored: boolean }>(this.#sql.store, [...values, ...trees]);
    if (row?.is_stored !== true) return undefined;
    this.#current.set(thread, { derivation, messages });
    this.#dropOldest();
    return upTo;
  }

  #dropOldest(): void {
    let kept = 0;
    for (const { messages } of this.#current.values()) kept += messages.size;
    for (const [thread, { messages }] of this.#current) {
      if (this.#current.size <= mostThreads && (kept <= mostKept || this.#current.size === 1)) return;
      kept -= messages.size;
      this.#current.delete(thread);
    }
  }

  async #derivationsAt(thread: string, seq: number): Promise<Derivations> {
    const current = this.#current.get(thread);
    // No concurrent call may continue the same derivation.
    this.#current.delete(thread);
    if (current?.derivation.seq === seq) return current;
    const stored = (statement: Statement) => this.#connections.query<{ body: string }>(statement, [thread, seq]);
    const [outline] = await stored(this.#sql.outlineByKey);
    const [tree] = await stored(this.#sql.messageTree);
    const derivation = new ThreadDerivation(outline && (JSON.parse(outline.body) as OutlineSnapshot));
    const messages = new MessageDerivation(tree && (JSON.parse(tree.body) as MessageTreeState));
    for await (const events of this.#history(thread, Math.min(derivation.seq, messages.seq), seq)) {
      const { seq: outlined } = derivation;
      derivation.take(
        events.filter(event => event.seq > outlined),
        () => 0,
      );
      for (const event of events) messages.take(event);
    }
    return { derivation, messages };
  }

  /** The events of a thread after a seq and up to another one, with those that it shares, page by page. */
  async *#history(thread: string, after: number, upTo: number): AsyncGenerator<LoggedEvent[]> {
    for (let at = after; at < upTo; ) {
      const values = [thread, at, upTo + 1, eventsAtOnce];
      const rows = await this.#connections.query<{ body: string }>(this.#sql.shared, values);
      if (rows.length === 0) return;
      const events = rows.map(({ body }) => decodeEvent(body));
      at = events.at(-1)?.seq ?? upTo;
      yield events;
    }
  }

  /** Derives the own messages of a thread from all of its events, as the function that stores them takes them. */
  async deriveMessages(thread: string, fork: number, upTo: number): Promise<string> {
    const messages = new MessageDerivation();
    for await (const events of this.#history(thread, 0, upTo)) for (const event of events) messages.take(event);
    return messageLines(await this.#completed(thread, ownMessages(messages, fork)));
  }

  /** The rows of messages, complete where their run has ended. */
  async #completed(thread: string, { rows, ended }: ReturnType<typeof ownMessages>): Promise<MessageRow[]> {
    const completed = new Map(rows.map(row => [row.id, row]));
    for (const run of ended) {
      const values = [thread, run.firstSeq, run.end.seq, `"runId":${JSON.stringify(run.runId)}`];
      const said = await this.#connections.query<{ body: string }>(this.#sql.said, values);
      const row = completed.get(run.messageId);
      const completion = completeMessage(
        run,
        said.map(({ body }) => decodeEvent(body)),
      );
      if (row !== undefined) completed.set(row.id, { ...row, completion });
    }
    return [...completed.values()];
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

/** Returns the changes of the messages that the thread does not share with its parent. */
function ownMessages(messages: MessageDerivation, fork: number) {
  const { rows, ended } = messages.drain();
  return { rows: rows.filter(row => row.firstSeq > fork), ended: ended.filter(run => run.firstSeq > fork) };
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
