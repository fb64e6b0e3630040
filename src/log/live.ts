import type { LoggedEvent } from '../events/index.ts';
import { logClosed, threadNotFound } from './checks.ts';
import { decodeEvent } from './encode.ts';
import type { EventLog, TailOptions } from './event-log.ts';

const pageSize = 500;

/** Events that were just stored: the reader that waits for exactly these need not read them back. */
interface Batch {
  readonly firstSeq: number;
  /** The events, decoded once for all readers. */
  readonly events: () => readonly LoggedEvent[];
}

interface Reader {
  readonly threadId: string;
  /** Whether something may have been appended since the reader last looked. */
  stale: boolean;
  wake: ((batch?: Batch) => void) | undefined;
  /** `left` when it wants no more, `gone` when its thread was deleted, `late` when the log was closed before it came. */
  state: 'reading' | 'left' | 'gone' | 'late';
}

/** Tells the tails of a log what was appended. It keeps no events: a reader that is behind reads from the store. */
export class Live {
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #onWaiting: ((waiting: boolean) => void) | undefined;
  #waiting = 0;
  #closed = false;

  /** `onWaiting` is told when the first reader begins to wait and when the last one stops. */
  constructor(onWaiting?: (waiting: boolean) => void) {
    this.#onWaiting = onWaiting;
  }

  /** How many tails there are that nobody has left. */
  get size(): number {
    return [...this.#readers.values()].reduce((sum, readers) => sum + readers.size, 0);
  }

  /** Hands stored events to the readers of the thread. */
  publish(threadId: string, firstSeq: number, bodies: readonly string[]): void {
    let decoded: readonly LoggedEvent[] | undefined;
    const events = () => (decoded ??= bodies.map(decodeEvent));
    for (const reader of this.#readers.get(threadId) ?? []) this.#wake(reader, { firstSeq, events });
  }

  /** Makes every reader look again: something changed that nobody told of. */
  wakeAll(): void {
    for (const readers of this.#readers.values()) for (const reader of readers) this.#wake(reader);
  }

  /** Ends the readers of a thread that is gone, also when another one gets its id. */
  end(threadId: string): void {
    for (const reader of this.#readers.get(threadId) ?? []) this.#stop(reader, 'gone');
  }

  close(): void {
    this.#closed = true;
    this.wakeAll();
  }

  /** The tail of a thread. A reader that stops is released at once, also while it waits for an event. */
  tail(
    read: EventLog['read'],
    threadId: string,
    after: number,
    { signal }: TailOptions,
  ): AsyncIterableIterator<LoggedEvent> {
    const reader: Reader = { threadId, stale: false, wake: undefined, state: this.#closed ? 'late' : 'reading' };
    const events = this.#follow(read, reader, after, signal);
    return {
      next: () => events.next(),
      return: () => {
        this.#stop(reader, 'left');
        return events.return(undefined);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  async *#follow(
    read: EventLog['read'],
    reader: Reader,
    after: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<LoggedEvent, undefined> {
    if (reader.state === 'late') throw logClosed();
    const { threadId } = reader;
    const onAbort = () => this.#stop(reader, 'left');
    const isOver = () => this.#closed || reader.state === 'left';
    if (signal?.aborted) return;
    this.#join(reader);
    signal?.addEventListener('abort', onAbort);
    try {
      let position = after;
      let batch: Batch | undefined;
      while (!isOver()) {
        if (reader.state === 'gone') throw threadNotFound(threadId);
        const fits = batch !== undefined && batch.firstSeq === position + 1;
        const events = fits && batch ? batch.events() : await read(threadId, { after: position, limit: pageSize });
        batch = undefined;
        for (const event of events) {
          if (isOver()) return;
          position = event.seq;
          yield event;
        }
        if (fits || events.length < pageSize) batch = await this.#next(reader);
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#leave(reader);
    }
  }

  #next(reader: Reader): Promise<Batch | undefined> {
    if (reader.stale || this.#closed) {
      reader.stale = false;
      return Promise.resolve(undefined);
    }
    return new Promise(resolve => {
      reader.wake = batch => {
        reader.wake = undefined;
        if (--this.#waiting === 0) this.#onWaiting?.(false);
        resolve(batch);
      };
      if (this.#waiting++ === 0) this.#onWaiting?.(true);
    });
  }

  #wake(reader: Reader, batch?: Batch): void {
    if (reader.wake) reader.wake(batch);
    else reader.stale = true;
  }

  #stop(reader: Reader, state: 'left' | 'gone'): void {
    reader.state = state;
    this.#wake(reader);
  }

  #join(reader: Reader): void {
    const readers = this.#readers.get(reader.threadId);
    if (readers) readers.add(reader);
    else this.#readers.set(reader.threadId, new Set([reader]));
  }

  #leave(reader: Reader): void {
    reader.wake?.();
    const readers = this.#readers.get(reader.threadId);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(reader.threadId);
  }
}
