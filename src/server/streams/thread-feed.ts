import type { Redactor } from '../../agents/redaction/redactor.ts';
import type { EventLog } from '../../log/event-log.ts';
import { type EventText, RedactedTexts } from '../security/redacted-texts.ts';

/** An event as it is sent, made once for all readers. */
export interface Frame {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** Receives the newest events of a thread. */
export interface FeedReader {
  /** Frames in order of seq, and the bytes of all of them together. */
  take(frames: readonly Frame[], bytes: Uint8Array): void;
  /** The feed is over: by an error, or because the log was closed. */
  end(error?: unknown): void;
}

export interface FeedOptions {
  readonly log: EventLog;
  /** Returns the frame of an event's text. */
  readonly encode: (text: EventText) => Uint8Array;
  readonly redactor: Redactor;
}

/** How many of the newest frames are kept for readers that are about to join. */
const kept = 256;
/** Sending within this time does not cause a pause. */
const easyMs = 2;
const longestPauseMs = 50;

/**
 * The newest events of one thread: one tail of the log, shared by all readers. When sending to all readers is slow, the
 * feed pauses for half that time, at most 50 ms, and sends the events of the pause as one batch.
 */
class ThreadFeed {
  readonly readers = new Set<FeedReader>();
  readonly #recent: Frame[] = [];
  readonly #stop = new AbortController();
  /** The seq of the newest frame that was sent. */
  #head: number;
  /** Frames to send. */
  #next: Frame[] = [];
  #isSending = false;
  #onSent: (() => void) | undefined;
  isOver = false;

  constructor(options: FeedOptions, threadId: string, head: number, onEnd: () => void) {
    this.#head = head;
    void this.#follow(options, threadId).finally(onEnd);
  }

  /** Adds a reader that has everything up to a seq; returns false when it must read more of the log first. */
  join(reader: FeedReader, position: number): boolean {
    if (position < this.#head - this.#recent.length) return false;
    const missed = this.#recent.filter(({ seq }) => seq > position);
    if (missed.length > 0) reader.take(missed, joined(missed));
    this.readers.add(reader);
    return true;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #follow(options: FeedOptions, threadId: string): Promise<void> {
    const { log, encode } = options;
    try {
      const made = RedactedTexts.after(options, threadId, this.#head);
      const texts = made instanceof Promise ? await made : made;
      const tail = log.tail(threadId, this.#head, { signal: this.#stop.signal });
      for await (const event of tail) {
        const text = tail.textOf?.(event) ?? JSON.stringify(event);
        for (const shown of texts.push({ seq: event.seq, text }, event))
          this.#next.push({ seq: shown.seq, bytes: encode(shown) });
        if (!this.#isSending) this.#send();
        // Later events are read from the log after these frames were sent.
        if (this.#next.length >= kept) await new Promise<void>(resolve => (this.#onSent = resolve));
      }
      this.#end();
    } catch (error) {
      this.#end(error);
    }
  }

  #send(): void {
    const frames = this.#next.splice(0);
    const last = frames.at(-1);
    this.#isSending = last !== undefined;
    if (last === undefined) return;
    const start = performance.now();
    this.#head = last.seq;
    this.#recent.push(...frames);
    this.#recent.splice(0, this.#recent.length - kept);
    const bytes = joined(frames);
    for (const reader of this.readers) reader.take(frames, bytes);
    this.#onSent?.();
    // By then the frames were written to the sockets.
    setImmediate(() => {
      const tookMs = performance.now() - start;
      if (tookMs < easyMs) this.#send();
      else setTimeout(() => this.#send(), Math.min(tookMs / 2, longestPauseMs)).unref();
    });
  }

  #end(error?: unknown): void {
    this.#send();
    this.isOver = true;
    for (const reader of this.readers) reader.end(error);
  }
}

function joined(frames: readonly Frame[]): Uint8Array {
  const [only] = frames;
  return frames.length === 1 && only !== undefined ? only.bytes : Buffer.concat(frames.map(({ bytes }) => bytes));
}

/** The feeds of the threads that have readers. */
export class ThreadFeeds {
  readonly options: FeedOptions;
  readonly #feeds = new Map<string, ThreadFeed>();

  constructor(options: FeedOptions) {
    this.options = options;
  }

  /**
   * Sends a reader every event after the position, in order, from now on. Returns false when more was appended than is
   * buffered: then the caller reads the log and joins again. Events the reader has may come again: it compares their seq.
   */
  join(threadId: string, reader: FeedReader, position: number): boolean {
    let feed = this.#feeds.get(threadId);
    if (feed === undefined || feed.isOver) {
      const made: ThreadFeed = new ThreadFeed(this.options, threadId, position, () => this.#drop(threadId, made));
      feed = made;
      this.#feeds.set(threadId, feed);
    }
    return feed.join(reader, position);
  }

  leave(threadId: string, reader: FeedReader): void {
    const feed = this.#feeds.get(threadId);
    if (feed === undefined || !feed.readers.delete(reader) || feed.readers.size > 0) return;
    this.#drop(threadId, feed);
    feed.stop();
  }

  #drop(threadId: string, feed: ThreadFeed): void {
    if (this.#feeds.get(threadId) === feed) this.#feeds.delete(threadId);
  }
}
