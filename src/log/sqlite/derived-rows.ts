import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { OutlineSnapshot } from '../../events/outline/outline-snapshot.ts';
import { threadNotFound } from '../checks.ts';
import {
  type CheckedSearch,
  checkSearch,
  hitIn,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
} from '../derived/search.ts';
import { textOfEvents, titleText } from '../derived/searched-text.ts';
import { checkUsageQuery, totalsOf, type UsageQuery, type GroupedUsage } from '../derived/usage-totals.ts';
import { type DerivationBacklog, stepsBeforeSearch } from './derivation-backlog.ts';
import { newestOutline } from './newest-outline.ts';
import { isBusy } from './errors.ts';
import { EventPage } from './event-table.ts';
import type { IndexedText } from './search-table.ts';
import type { Tables } from './tables.ts';
import { toThread } from './thread-table.ts';
import { type Place, type ThreadRow } from './thread-row.ts';

/** How many texts are looked at together. */
const textsAtOnce = 64;

/** Answers queries from derived data, after processing the backlog. */
export class DerivedRows {
  readonly #sql: Tables;
  readonly #backlog: DerivationBacklog;
  readonly #read: <Result>(action: () => Result) => Result | Promise<Result>;

  constructor(
    sql: Tables,
    backlog: DerivationBacklog,
    read: <Result>(action: () => Result) => Result | Promise<Result>,
  ) {
    this.#sql = sql;
    this.#backlog = backlog;
    this.#read = read;
  }

  /** Indexes a title in the place of the one before. */
  setTitle(
    { key, updated }: Pick<ThreadRow, 'key' | 'updated'>,
    before: string | undefined,
    title: string | undefined,
  ): void {
    if (before === title) return;
    const indexed = before === undefined ? undefined : this.#sql.search.findTitle(key);
    if (indexed !== undefined && before !== undefined) this.#sql.search.delete(indexed, before);
    if (title !== undefined) this.#sql.search.insert(key, titleText(title, updated));
  }

  /** Removes the title of a thread from the index, as far as it can be read. */
  removeTitle(key: number): void {
    const indexed = this.#sql.search.findTitle(key);
    if (indexed === undefined) return;
    try {
      this.#sql.search.delete(indexed, this.#sql.threads.kept(key)?.title ?? '');
    } catch (error) {
      if (isBusy(error)) throw error;
    }
  }

  async outlineAt(threadId: string, seq: number): Promise<OutlineSnapshot | undefined> {
    return this.#read(() => newestOutline(this.#sql, this.#place(threadId), seq));
  }

  async seqOfMessage(threadId: string, messageId: string): Promise<number | undefined> {
    const find = () => this.#read(() => this.#findMessage(this.#place(threadId), messageId));
    const found = await find();
    if (found !== undefined) return found;
    await this.#backlog.catchUpThread(await this.#read(() => this.#place(threadId)));
    return find();
  }

  async usage(query: UsageQuery): Promise<GroupedUsage[]> {
    checkUsageQuery(query);
    await this.#backlog.catchUp();
    return this.#read(() => totalsOf(this.#sql.used.rows(query), query));
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const checked = checkSearch(query);
    const { threads } = await this.#backlog.catchUp(stepsBeforeSearch);
    return this.#read(() => ({ ...this.#find(checked), isComplete: threads === 0 }));
  }

  #findMessage(place: Place, messageId: string): number | undefined {
    let upTo = Number.MAX_SAFE_INTEGER;
    for (let at: Place | undefined = place; at !== undefined; at = this.#sql.threads.owner(at)) {
      const seq = this.#sql.outlines.message(at.key, messageId, upTo);
      if (seq !== undefined) return seq;
      upTo = at.fork;
    }
    return undefined;
  }

  #find({ words, resourceId, limit, before }: CheckedSearch): Omit<SearchPage, 'isComplete'> {
    const hits: SearchHit[] = [];
    for (let from = before; words.length > 0; ) {
      const found = this.#sql.search.find(words, from, textsAtOnce);
      for (const text of found) {
        from = text.order;
        for (const row of this.#sql.threads.showing(text.thread, text.seq))
          if (resourceId === undefined || row.resource === resourceId)
            hits.push(hitIn(toThread(row), text, this.#readText(text, row), words));
        if (hits.length >= limit) return { hits, next: String(from) };
      }
      if (found.length < textsAtOnce) break;
    }
    return { hits };
  }

  /** Removes some data derived from the events of a row after a seq; returns whether all of it is removed. */
  deleteSome(key: number, after: number, most: number): boolean {
    if (!this.#backlog.finishDeleted(key)) return false;
    this.removeTitle(key);
    const texts = this.#sql.search.after(key, after, Math.ceil(most / 20));
    for (const text of texts) this.#sql.search.delete(text, this.#readText(text));
    return texts.length === 0 && this.#sql.outlines.deleteSome(key, after, most);
  }

  #readText({ thread, seq, lastSeq }: IndexedText, row?: ThreadRow): string {
    if (seq === 0) return row === undefined ? '' : (toThread(row).title ?? '');
    const page = new EventPage<LoggedEvent>(lastSeq - seq + 1, Number.MAX_SAFE_INTEGER);
    this.#sql.events.read({ threadId: row?.id ?? '', key: thread, after: seq - 1, end: lastSeq + 1 }, page);
    return textOfEvents(page.items);
  }

  #place(threadId: string): Place {
    const place = this.#sql.threads.place(threadId);
    if (place === undefined) throw threadNotFound(threadId);
    return place;
  }
}
