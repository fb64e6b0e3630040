import type { Framing } from '../../protocols/framing.ts';
import { RedactedTexts } from '../security/redacted-texts.ts';
import { Refusal } from '../problem-response.ts';
import { framedProblem } from './frame-stream.ts';
import type { KeepAlive, Silent } from './keep-alive.ts';
import { aheadBytes, type ByteSink, type ByteSource, type OpenStream } from './byte-sink.ts';
import type { FeedOptions, FeedReader, Frame, ThreadFeeds } from './thread-feed.ts';

export interface LiveStreamOptions extends FeedOptions {
  readonly framing: Framing;
  readonly feeds: ThreadFeeds;
  readonly keepAlive: KeepAlive;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** How many bytes may wait for a reader before it is ended as too slow. */
  readonly bufferBytes: number;
  /** Receives how many events were sent. */
  readonly onSent: (count: number) => void;
}

const pageSize = 100;
const text = new TextEncoder();

/**
 * Streams the events of a thread after a seq, each with its seq as the frame's id. Older events are read page by page
 * at the speed of the reader; the newest are read from the thread's feed, whose frames all readers share. A reader
 * whose buffer overflows is ended with a problem, and can resume at its position.
 */
export function liveStream(options: LiveStreamOptions, place: { threadId: string; after: number }): OpenStream {
  return sink => new LiveReader(options, place, sink);
}

class LiveReader implements ByteSource, FeedReader, Silent {
  readonly #options: LiveStreamOptions;
  readonly #threadId: string;
  readonly #sink: ByteSink;
  readonly #stop = () => this.end();
  /** The seq of the last event that was sent. */
  #position: number;
  /** The seq of the last event that was read: some may wait to be sent. */
  #lastRead: number;
  #texts: RedactedTexts | undefined;
  #isOver = false;
  /** Whether it has joined the feed. */
  #isLive = false;
  #isReading = false;
  sent = true;

  constructor(options: LiveStreamOptions, { threadId, after }: { threadId: string; after: number }, sink: ByteSink) {
    this.#options = options;
    this.#threadId = threadId;
    this.#position = after;
    this.#lastRead = after;
    this.#sink = sink;
    sink.write(text.encode(options.framing.comment('open')));
    options.keepAlive.add(this);
    options.signal.addEventListener('abort', this.#stop);
    if (options.signal.aborted) this.end();
  }

  resume(): void {
    if (!this.#isLive && !this.#isReading) void this.#read();
  }

  /** Reads as much as the reader has room for, then joins the feed: from there frames are pushed, never pulled. */
  async #read(): Promise<void> {
    const { log, encode, feeds } = this.#options;
    this.#isReading = true;
    try {
      const texts = (this.#texts ??= await RedactedTexts.after(this.#options, this.#threadId, this.#position));
      while (!this.#isOver && this.#sink.waiting < aheadBytes) {
        const page = await log.readTexts(this.#threadId, { after: this.#lastRead, limit: pageSize });
        for (const text of page)
          for (const shown of texts.push({ seq: ++this.#lastRead, text }))
            this.#takeOne({ seq: shown.seq, bytes: encode(shown) });
        if (page.length > 0 || this.#isOver) continue;
        this.#isLive = feeds.join(this.#threadId, this, this.#position);
        if (!this.#isLive) continue;
        this.#texts = undefined;
        return;
      }
    } catch (error) {
      this.end(error);
    } finally {
      this.#isReading = false;
    }
  }

  take(frames: readonly Frame[], bytes: Uint8Array): void {
    const [first, last] = [frames[0], frames.at(-1)];
    if (this.#isOver || first === undefined || last === undefined) return;
    if (first.seq !== this.#position + 1) return frames.forEach(frame => this.#takeOne(frame));
    this.#position = last.seq;
    this.send(bytes);
    this.#options.onSent(frames.length);
  }

  #takeOne({ seq, bytes }: Frame): void {
    if (seq <= this.#position || this.#isOver) return;
    this.#position = seq;
    this.send(bytes);
    this.#options.onSent(1);
  }

  keepAlive(): void {
    this.send(text.encode(this.#options.framing.comment('keep-alive')));
  }

  send(bytes: Uint8Array): void {
    if (this.#isOver) return;
    // While the reader catches up, no frames are pushed to it.
    if (this.#isLive && this.#sink.waiting > this.#options.bufferBytes) return this.end(tooSlow());
    this.sent = true;
    this.#sink.write(bytes);
  }

  end(error?: unknown): void {
    if (this.#isOver) return;
    this.leave();
    const { framing, redactor } = this.#options;
    if (error !== undefined) this.#sink.write(framedProblem(error, framing, redactor));
    this.#sink.end();
  }

  leave(): void {
    this.#isOver = true;
    const { feeds, keepAlive, signal } = this.#options;
    feeds.leave(this.#threadId, this);
    keepAlive.delete(this);
    signal.removeEventListener('abort', this.#stop);
  }
}

function tooSlow(): Refusal {
  return new Refusal('slow_reader', 'You read slower than events come. Connect again after the last one you have.');
}
