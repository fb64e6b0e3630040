import { defined } from '../../base/defined.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { giveUp, plainEvent } from '../../log/encode.ts';
import { defaultMaxEventBytes } from '../../log/event-size.ts';
import type { EventLog, RawLine, Thread } from '../../log/event-log.ts';
import { makeTitle } from '../conversations/thread-titles.ts';
import { type ImportNote, importKey, type SessionSource, threadIdFor } from './session-source.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

const batchEvents = 500;
const batchBytes = 4 * 1024 * 1024;

export interface ImportTargetOptions {
  readonly log: EventLog;
  readonly source: SessionSource;
  readonly resourceId?: string | undefined;
  /** The thread that has the session so far, and the number of threads it has. */
  readonly thread: Thread | undefined;
  readonly count: number;
}

/** The thread that an import writes to: takes all events and lines of the source, and appends those that it does not have. */
export class ImportTarget {
  readonly #options: ImportTargetOptions;
  #threadId: string | undefined;
  /** The events that were taken, and how many of them the thread has. */
  #seq = 0;
  #stored: number;
  /** The raw lines that the thread has of each run, and those that were taken. */
  readonly #storedLines = new Map<string, number>();
  readonly #takenLines = new Map<string, number>();
  #events: AgentEvent[] = [];
  #lines: { readonly runId: string; readonly line: RawLine }[] = [];
  #bytes = 0;
  #appended = 0;

  constructor(options: ImportTargetOptions) {
    this.#options = options;
    this.#threadId = options.thread?.id;
    this.#stored = options.thread?.importedSeq ?? 0;
  }

  get threadId(): string | undefined {
    return this.#threadId;
  }

  /** The number of events that were appended. */
  get appended(): number {
    return this.#appended;
  }

  add(events: readonly AgentEvent[]): void {
    const maxBytes = this.#options.log.maxEventBytes ?? defaultMaxEventBytes;
    for (const event of events) if (++this.#seq > this.#stored) this.#events.push(fitEvent(event, maxBytes));
  }

  async addLine(runId: string, line: RawLine): Promise<void> {
    if (this.#storedLines.get(runId) === undefined) {
      const count = this.#threadId === undefined ? 0 : await countStoredLines(this.#options.log, this.#threadId, runId);
      this.#storedLines.set(runId, count);
    }
    this.#takenLines.set(runId, line.n);
    if (line.n <= (this.#storedLines.get(runId) ?? 0)) return;
    this.#lines.push({ runId, line });
    this.#bytes += line.line.length;
  }

  /** Continues in a new thread that shares the events up to what was taken; the lines before it are copied. */
  async branch(): Promise<void> {
    const { log, source, thread, count } = this.#options;
    if (thread === undefined) return;
    const { createdAt, title } = thread;
    const seq = Math.min(this.#seq, this.#stored);
    const names = { id: threadIdFor(source, count + 1), imported: true, createdAt, ...defined({ title }) };
    const branch = await log.branch(thread.id, seq, names);
    for (const [runId, stored] of this.#storedLines) {
      const copied = Math.min(stored, this.#takenLines.get(runId) ?? 0);
      await copyStoredLines(log, { from: thread.id, to: branch.id, runId, count: copied });
      this.#storedLines.set(runId, copied);
    }
    this.#threadId = branch.id;
    this.#stored = seq;
  }

  /** Appends the pending events when there are enough for a batch. */
  async flushSome(): Promise<void> {
    if (this.#events.length >= batchEvents || this.#bytes >= batchBytes) await this.#flush();
  }

  /** Appends the rest, and notes which version of the session the thread has now, and where imports ended turns. */
  async finish(pauses: readonly number[]): Promise<void> {
    const { agentId, session } = this.#options.source;
    const { id: sessionId, path, version } = session;
    await this.#flush({ agentId, sessionId, path, version, pauses });
  }

  async #flush(note?: ImportNote): Promise<void> {
    const { log } = this.#options;
    const threadId = await this.#create();
    if (threadId === undefined) return;
    // Lines come first: events that are missing because an import was killed are made again from them.
    for (let at = 0; at < this.#lines.length; ) {
      const { runId } = this.#lines[at] as { readonly runId: string };
      const other = this.#lines.findIndex((each, index) => index > at && each.runId !== runId);
      const end = other < 0 ? this.#lines.length : other;
      await log.appendRaw(
        threadId,
        runId,
        this.#lines.slice(at, end).map(({ line }) => line),
      );
      at = end;
    }
    const metadata = note && { metadata: { [importKey]: note } };
    if (this.#events.length > 0 || note !== undefined) {
      const expectedSeq = this.#seq - this.#events.length;
      await log.append(threadId, giveUp(this.#events), {
        imported: true,
        ...(this.#events.length > 0 && { expectedSeq }),
        ...metadata,
      });
    }
    this.#appended += this.#events.length;
    this.#stored += this.#events.length;
    this.#events = [];
    this.#lines = [];
    this.#bytes = 0;
  }

  /** Returns the thread, and makes it for the first events; undefined while there are none. */
  async #create(): Promise<string | undefined> {
    const { log, source, resourceId } = this.#options;
    const [first] = this.#events;
    if (this.#threadId !== undefined || first === undefined) return this.#threadId;
    const { session } = source;
    const prompt = this.#events.find(event => event.type === 'user');
    const title = makeTitle(session.title ?? (prompt?.type === 'user' ? prompt.content : ''));
    const createdAt = session.createdAt ?? first.ts;
    const { id } = await log.createThread({
      id: threadIdFor(source),
      imported: true,
      title,
      ...defined({ resourceId, createdAt }),
    });
    this.#threadId = id;
    return id;
  }
}

const keptLength = 64 * 1024;

/**
 * Returns an event that a log takes, in a copy that was checked. Long texts of one that is too long are cut, because the
 * raw line has them whole; one with fields of another form than events have is `unknown`.
 */
function fitEvent(event: AgentEvent, maxBytes: number): AgentEvent {
  try {
    const { event: copy, length } = plainEvent(event);
    // A character has at most three bytes, and an escape six characters.
    if (length * 6 <= maxBytes) return copy;
    const text = JSON.stringify(copy);
    if (Buffer.byteLength(text) <= maxBytes) return copy;
    const cut = JSON.stringify(copy, (_, value: unknown) => (typeof value === 'string' ? cutText(value) : value));
    return Buffer.byteLength(cut) <= maxBytes ? (JSON.parse(cut) as AgentEvent) : asUnknown(event, text);
  } catch (error) {
    if (!SingletreeError.is(error)) throw error;
    return asUnknown(event, JSON.stringify(event));
  }
}

function asUnknown({ runId, ts, line }: AgentEvent, text: string): AgentEvent {
  return { type: 'unknown', runId, raw: { beginning: text.slice(0, 4096) }, ...defined({ ts, line }) };
}

function cutText(text: string): string {
  if (text.length <= keptLength) return text;
  return `${text.slice(0, keptLength)}… (${text.length - keptLength} more characters are in the raw line)`;
}

/** How many raw lines are read at once: they may be long. */
const page = 16;

/** Yields the raw lines of a run. */
export async function* storedLines(log: EventLog, threadId: string, runId: string): AsyncGenerator<Uint8Array> {
  for (let after = 0; ; after += page) {
    const lines = await log.readRaw(threadId, runId, { after, limit: page });
    for (const { line } of lines) yield line;
    if (lines.length < page) return;
  }
}

/** Returns how many raw lines a run has. */
async function countStoredLines(log: EventLog, threadId: string, runId: string): Promise<number> {
  let count = 0;
  for await (const _ of storedLines(log, threadId, runId)) count++;
  return count;
}

/** Copies the first raw lines of a run to another thread. */
async function copyStoredLines(
  log: EventLog,
  {
    from,
    to,
    runId,
    count,
  }: { readonly from: string; readonly to: string; readonly runId: string; readonly count: number },
): Promise<void> {
  for (let after = 0; after < count; after += page) {
    const lines = await log.readRaw(from, runId, { after, limit: Math.min(page, count - after) });
    if (lines.length === 0) return;
    await log.appendRaw(to, runId, lines);
  }
}
