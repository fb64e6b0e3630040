import { SingletreeError } from '../../base/singletree-error.ts';
import { decodeEvent } from '../encode.ts';
import type { EventLog, Thread } from '../event-log.ts';
import { pageBytes } from '../event-size.ts';
import { defined } from '../../base/defined.ts';

const pageSize = 500;
const rawPage = 200;

type Report = (copied: { readonly events?: number; readonly rawLines?: number }) => void;

/** Copies the events, raw lines and idempotency keys of one thread that a target does not have yet. */
export class ThreadCopy {
  readonly #source: EventLog;
  readonly #target: EventLog;
  readonly #thread: Thread;
  /** The id in the target. */
  readonly #id: string;
  /** How many raw lines of a run the target has. */
  readonly #rawLines = new Map<string, number>();

  /** Copies `thread` up to its seq, into the thread of the target that has its id or another one. */
  constructor(source: EventLog, target: EventLog, thread: Thread, id: string = thread.id) {
    this.#source = source;
    this.#target = target;
    this.#thread = thread;
    this.#id = id;
  }

  /** Adds the data that the target does not have yet. */
  async run(there: Thread, report: Report): Promise<void> {
    await this.#checkBeginning(there);
    const keys = await this.#keysToCopy();
    for (let after = there.seq; after < this.#thread.seq; ) {
      const range = { after, before: this.#thread.seq + 1, limit: pageSize, maxBytes: pageBytes };
      const texts = await this.#source.readTexts(this.#thread.id, range);
      if (texts.length === 0) throw this.#problem(`has no event ${after + 1}`);
      // Raw lines first: a copy that ends here has those of every event that it has.
      for (const runId of new Set(texts.map(text => decodeEvent(text).runId))) await this.#copyRaw(runId, report);
      await this.#appendPage(texts, after, keys);
      report({ events: texts.length });
      after += texts.length;
    }
    await this.#addKeys(keys, this.#thread.seq);
  }

  /** Adds the keys of appends that ended at a seq and are missing. */
  async #addKeys(keys: { key: string; seq: number }[], seq: number): Promise<void> {
    for (let [next] = keys; next !== undefined && next.seq <= seq; [next] = keys) {
      await this.#target.append(this.#id, [], { once: next.key });
      keys.shift();
    }
  }

  /** Throws `thread_exists` unless the target has the beginning of this thread. */
  async #checkBeginning({ seq }: Thread): Promise<void> {
    if (seq === 0) return;
    const range = { after: seq - 1, limit: 1 };
    const [ours] = await this.#source.readTexts(this.#thread.id, range);
    const [theirs] = await this.#target.readTexts(this.#id, range);
    if (seq <= this.#thread.seq && ours === theirs) return;
    throw new SingletreeError(
      'thread_exists',
      `The target has another thread "${this.#id}": its event ${seq} is not that of the source. Copy to an empty store, or delete the thread there.`,
      { details: { threadId: this.#id, seq } },
    );
  }

  /** The keys that the target does not have, in order of seq; none for the events of a deleted thread. */
  async #keysToCopy(): Promise<{ readonly key: string; readonly seq: number }[]> {
    if (this.#id !== this.#thread.id) return [];
    const ours = (await this.#source.onceKeys?.(this.#id)) ?? [];
    const theirs = new Set((await this.#target.onceKeys?.(this.#id))?.map(({ key }) => key));
    return ours.filter(({ key }) => !theirs.has(key)).toSorted((a, b) => a.seq - b.seq);
  }

  /** Appends a page in pieces that end with the events of idempotency keys and with the last imported one. */
  async #appendPage(texts: readonly string[], after: number, keys: { key: string; seq: number }[]): Promise<void> {
    const { importedSeq = 0 } = this.#thread;
    const end = after + texts.length;
    for (let seq = after; seq < end; ) {
      await this.#addKeys(keys, seq);
      const [next] = keys;
      const stops = [end, next?.seq ?? end, importedSeq].filter(stop => stop > seq);
      const last = Math.min(...stops);
      const once = next !== undefined && next.seq <= last ? keys.shift()?.key : undefined;
      const events = texts.slice(seq - after, last - after).map(decodeEvent);
      const imported = last <= importedSeq;
      await this.#target.append(this.#id, events, {
        expectedSeq: seq,
        ...defined({ once }),
        ...(imported && { imported }),
      });
      seq = last;
    }
    const copied = await this.#target.readTexts(this.#id, { after, before: end + 1, limit: texts.length });
    const different = texts.findIndex((text, index) => text !== copied[index]);
    if (different >= 0) throw this.#problem(`has an event ${after + different + 1} that is not stored as it was`);
  }

  async #copyRaw(runId: string, report: Report): Promise<void> {
    if (this.#id !== this.#thread.id) return;
    let after = this.#rawLines.get(runId) ?? (await this.#rawLinesThere(runId));
    for (;;) {
      const lines = await this.#source.readRaw(this.#thread.id, runId, { after, limit: rawPage });
      if (lines.length > 0) await this.#target.appendRaw(this.#id, runId, lines);
      report({ rawLines: lines.length });
      after += lines.length;
      this.#rawLines.set(runId, after);
      if (lines.length < rawPage) return;
    }
  }

  async #rawLinesThere(runId: string): Promise<number> {
    for (let after = 0; ; after += rawPage) {
      const lines = await this.#target.readRaw(this.#id, runId, { after, limit: rawPage });
      if (lines.length < rawPage) return after + lines.length;
    }
  }

  #problem(what: string): SingletreeError {
    return new SingletreeError(
      'log_corrupt',
      `The thread "${this.#thread.id}" ${what}: the copy stopped there. Check the stores with "singletree store check".`,
      { details: { threadId: this.#thread.id } },
    );
  }
}
