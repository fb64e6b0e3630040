import { type AgentEvent, getDefinition } from '../events/vocabulary.ts';
import { giveUp, plainEvent, plainFragment } from './encode.ts';
import type { AppendOptions, EventLog } from './event-log.ts';
import { checkEventText, defaultMaxEventBytes, eventTooLarge, writeEventText } from './event-size.ts';
import { currentTime, timeText } from './event-time.ts';
import { optionsCheck } from '../base/options/check-options.ts';
import { callback, milliseconds, number, object } from '../base/options/option-fields.ts';

export interface ThreadWriterOptions {
  /** How long a fragment may wait for more, in milliseconds; 32 when absent. */
  windowMs?: number;
  /** How much may wait, in characters; 16,384 when absent. */
  maxLength?: number;
  /** Proves the right to write. */
  lease?: AppendOptions['lease'];
  /** Performs an append; may repeat one that failed. It is called once for each batch. */
  perform?: <Result>(append: () => Promise<Result>) => Promise<Result>;
  /** Calls back after a time and returns what cancels it; `setTimeout` when absent. */
  schedule?: (ms: number, callback: () => void) => () => void;
}

const checkOptions = optionsCheck<ThreadWriterOptions>('new ThreadWriter')(() => ({
  windowMs: milliseconds().optional(),
  maxLength: number().optional(),
  lease: object().optional(),
  perform: callback().optional(),
  schedule: callback().optional(),
}));

type Fragment = Record<string, unknown> & { readonly runId: string; readonly id: string };

/** The fragment that grew last. */
interface Growing {
  readonly event: Fragment;
  /** The field that grows. */
  readonly field: string;
  /** How many fields it was written with. */
  readonly size: number;
}

/** An append that has not started; everything written until then shares it. */
class PendingAppend {
  resolve: () => void = () => {};
  reject: (error: unknown) => void = () => {};
  readonly promise: Promise<void> = new Promise((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

/**
 * Writes the events of a thread in order. Fragments of one stream that arrive close together are joined before they get
 * a `seq`, so that live and later readers see the same sequence. Fragments are buffered for at most `windowMs` or until
 * `maxLength` characters; any other event flushes the buffer. A crash loses at most the buffered fragments.
 *
 * After a failed append nothing is dropped: `flush` tries again, and every call rejects until it succeeds.
 */
export class ThreadWriter {
  /** The promise that `write` and `pass` return for events that are accepted at once: callers need not await it. */
  static readonly accepted: Promise<void> = Promise.resolve();
  readonly #log: EventLog;
  readonly #threadId: string;
  readonly #maxEventBytes: number;
  readonly #options: Required<Omit<ThreadWriterOptions, 'lease' | 'perform'>> &
    Pick<ThreadWriterOptions, 'lease' | 'perform'>;
  /** Buffered copies of events; the text of fragments among them grows. */
  #waiting: AgentEvent[] = [];
  /** The one that grew last, and the newest of each other stream. */
  #last: Growing | undefined;
  readonly #others = new Map<string, Fragment>();
  #length = 0;
  #cancel: (() => void) | undefined;
  /** Events that are on their way into the log, or failed to get there. */
  #batch: AgentEvent[] = [];
  /** The metadata that is merged into the thread's with the batch. */
  #metadata: AppendOptions['metadata'];
  /** The length of the batched and appending events that are not in the log yet. */
  #leaving = 0;
  #isAppending = false;
  /** The append after the current one, once something waits for it. */
  #following: PendingAppend | undefined;
  #seq: number | undefined;

  constructor(log: EventLog, threadId: string, given: ThreadWriterOptions = {}) {
    checkOptions(given);
    const { lease, ...options } = given;
    this.#log = log;
    this.#threadId = threadId;
    this.#maxEventBytes = log.maxEventBytes ?? defaultMaxEventBytes;
    this.#options = { windowMs: 32, maxLength: 16_384, schedule: onTimer, ...options, ...(lease && { lease }) };
  }

  /** The seq of the newest event that this writer appended; undefined before the first append. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /** The written events that are buffered or batched. */
  get unwritten(): readonly AgentEvent[] {
    return [...this.#batch, ...this.#waiting];
  }

  /**
   * A fragment is accepted at once, unless the log is behind by `maxLength`: then it resolves when the log has caught
   * up. Any other event resolves when it and all before it are in the log. What is not an event, or too long for the
   * log, is refused with `invalid_event` or `event_too_large` and hinders nothing else. `metadata` is merged into the
   * thread's in the moment the event is stored.
   */
  write(written: AgentEvent, metadata?: AppendOptions['metadata']): Promise<void> {
    try {
      const fragment = metadata === undefined ? definitionIn(written)?.fragment : undefined;
      return fragment === undefined ? this.#writeEvent(written, metadata) : this.#writeFragment(written, fragment);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The same, but a plain event is accepted as a fragment is, with the time it has then: it is stored with what follows. */
  pass(written: AgentEvent): Promise<void> {
    const { durability = 'barrier', fragment } = definitionIn(written) ?? {};
    if (durability === 'barrier' || fragment !== undefined) return this.write(written);
    try {
      return this.#writePlain(written);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Resolves when everything written so far is in the log. */
  flush(): Promise<void> {
    this.#take();
    return this.#append();
  }

  #writeEvent(written: AgentEvent, metadata: AppendOptions['metadata']): Promise<void> {
    const { event, length } = plainEvent(written);
    this.#checkSize(event, length);
    this.#take();
    this.#batch.push(event);
    if (metadata !== undefined) this.#metadata = merged(this.#metadata, metadata);
    return this.#append();
  }

  /** Buffers an event that is not a fragment; later fragments are not joined with earlier ones. */
  #writePlain(written: AgentEvent): Promise<void> {
    const { event, length } = plainEvent(written);
    this.#checkSize(event, length);
    this.#waiting.push(event);
    if (event.ts === undefined) this.#setTimes();
    this.#length += length;
    this.#last = undefined;
    this.#others.clear();
    return this.#accept();
  }

  /** Sets the current time on buffered events without one: the log would set a later time. */
  #setTimes(): void {
    const ts = timeText(currentTime(this.#log));
    for (let index = this.#waiting.length - 1; index >= 0; index--) {
      const event = this.#waiting[index];
      if (event === undefined || event.ts) return;
      event.ts = ts;
    }
  }

  #writeFragment(written: AgentEvent, field: string): Promise<void> {
    const next = written as unknown as Fragment;
    const text = next[field];
    if (typeof text === 'string' && this.#mayBeTooLong(text.length)) return this.#writePlain(written);
    if (this.#last !== undefined && repeats(this.#last, next)) this.#grow(this.#last.event, field, next[field]);
    else this.#add(plainFragment(written, field) as unknown as Fragment, field, Object.keys(written).length);
    return this.#accept();
  }

  /** Written as JSON a character takes six bytes at most; a fragment may join others, and the log adds a little. */
  #mayBeTooLong(length: number): boolean {
    return (length + this.#options.maxLength) * 6 + 1024 > this.#maxEventBytes;
  }

  #checkSize(event: AgentEvent, length: number): void {
    if (!this.#mayBeTooLong(length)) return;
    const what = `The event "${event.type}"`;
    // An event has a third of its estimated length at least: one that is far too long is not written to know it.
    if (length > this.#maxEventBytes * 3) throw eventTooLarge(what, Math.floor(length / 3), this.#maxEventBytes);
    const stamped = { seq: Number.MAX_SAFE_INTEGER, ts: new Date(0).toISOString(), ...event };
    checkEventText(
      writeEventText(() => JSON.stringify(stamped)),
      this.#maxEventBytes,
      what,
    );
  }

  #accept(): Promise<void> {
    if (this.#length + this.#leaving >= this.#options.maxLength) return this.flush();
    // Nothing is dropped: the next call tries again, and rejects.
    this.#cancel ??= this.#options.schedule(this.#options.windowMs, () => void this.flush().catch(() => {}));
    return ThreadWriter.accepted;
  }

  #add(event: Fragment, field: string, size: number): void {
    const before = this.#newest(event);
    if (before !== undefined && joins(before, event, field)) {
      this.#grow(before, field, event[field]);
      this.#last = { event: before, field, size: Object.keys(before).length };
      return;
    }
    this.#waiting.push(event as unknown as AgentEvent);
    this.#length += (event[field] as string).length;
    this.#last = { event, field, size };
  }

  #grow(event: Fragment, field: string, text: unknown): void {
    event[field] = `${event[field] as string}${text as string}`;
    this.#length += (text as string).length;
  }

  /** The newest waiting fragment of the same stream. */
  #newest({ runId, id }: Fragment): Fragment | undefined {
    const last = this.#last?.event;
    if (last === undefined || (last.runId === runId && last.id === id)) return last;
    this.#others.set(toStreamKey(last.runId, last.id), last);
    return this.#others.get(toStreamKey(runId, id));
  }

  /** Moves the buffered events into the batch. */
  #take(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const event of this.#waiting) this.#batch.push(event);
    this.#waiting = [];
    this.#last = undefined;
    this.#others.clear();
    this.#leaving += this.#length;
    this.#length = 0;
  }

  /** Appends everything written until the append starts; appends run one after the other. */
  #append(): Promise<void> {
    if (this.#following === undefined) {
      this.#following = new PendingAppend();
      if (!this.#isAppending) queueMicrotask(this.#start);
    }
    return this.#following.promise;
  }

  readonly #start = (): void => {
    const append = this.#following;
    this.#following = undefined;
    if (append === undefined) return;
    const events = this.#batch;
    if (events.length === 0) return append.resolve();
    const length = this.#leaving;
    const metadata = this.#metadata;
    this.#batch = [];
    this.#metadata = undefined;
    this.#isAppending = true;
    this.#store(giveUp(events), metadata).then(
      ({ lastSeq }) => {
        this.#seq = lastSeq;
        this.#leaving -= length;
        this.#isAppending = false;
        append.resolve();
        this.#start();
      },
      (error: unknown) => {
        this.#batch = [...events, ...this.#batch];
        if (metadata !== undefined) this.#metadata = merged(metadata, this.#metadata);
        this.#isAppending = false;
        append.reject(error);
        this.#start();
      },
    );
  };

  #store(events: readonly AgentEvent[], metadata: AppendOptions['metadata']): ReturnType<EventLog['append']> {
    const { lease, perform } = this.#options;
    const options: AppendOptions = {};
    if (lease !== undefined) options.lease = lease;
    if (metadata !== undefined) options.metadata = metadata;
    const append = () => this.#log.append(this.#threadId, events, options);
    try {
      return perform === undefined ? append() : perform(append);
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

function merged(one: AppendOptions['metadata'], other: AppendOptions['metadata']): AppendOptions['metadata'] {
  return one && other ? { ...one, ...other } : (one ?? other);
}

function definitionIn(written: AgentEvent) {
  const type = (written as Partial<AgentEvent> | null | undefined)?.type;
  return typeof type === 'string' ? getDefinition(type) : undefined;
}

function toStreamKey(runId: string, id: string): string {
  return `${runId}\u0000${id}`;
}

/** Returns whether an event equals a buffered fragment in all but the text, and so needs no validation. */
function repeats({ event, field, size }: Growing, next: Fragment): boolean {
  if (event['callId'] !== next['callId'] || Object.getPrototypeOf(next) !== Object.prototype) return false;
  let count = 0;
  for (const key in next) {
    if (key === field ? typeof next[key] !== 'string' : event[key] !== next[key]) return false;
    count++;
  }
  return count === size;
}

/** Returns whether a fragment continues another: all fields except the text, the time and the raw line are equal. */
function joins(event: Fragment, next: Fragment, field: string): boolean {
  if (event['callId'] !== next['callId']) return false;
  const isSame = (key: string) => event[key] === next[key] || key === field || key === 'ts' || key === 'line';
  for (const key in next) if (!isSame(key)) return false;
  for (const key in event) if (!isSame(key)) return false;
  return true;
}

function onTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
