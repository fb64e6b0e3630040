import type { LoggedEvent } from '../events/vocabulary.ts';
import { checkTailOptions, logClosed, threadNotFound } from './checks.ts';
import type { EventLog, Tail, TailOptions } from './event-log.ts';
import { pageBytes } from './event-size.ts';
import { nextTurn } from './next-turn.ts';
import { freeze } from '../base/freeze.ts';
import { eachOfPages, type Taking } from './pages.ts';

const pageSize = 500;

/** Events that were just stored, in order of seq, and the texts they are stored as. */
export interface Stored {
  readonly events: readonly LoggedEvent[];
  readonly bodies: readonly string[];
}

/** The store of a tail. */
export interface TailSource {
  readonly read: EventLog['read'];
  /** Whether a seq is known to be the newest of the thread: then there is nothing to read. */
  readonly isNewest?: ((seq: number) => boolean) | undefined;
  /** Called once when a tail that has begun to read ends. */
  readonly onEnd?: (() => void) | undefined;
}

interface Reader {
  readonly threadId: string;
  /** The first events stored while the reader was busy; later ones are read from the store. */
  ahead: Stored | undefined;
  /** The events that the reader is consuming, when they did not have to be read from the store. */
  current: Stored | undefined;
  /** Whether more may have been appended since the reader last looked. */
  stale: boolean;
  /** Of a reader that waits: wakes it to look again, or hands it what was just stored, which need not be read back. */
  waiting: ((stored: Stored | undefined) => void) | undefined;
  /** `left` when it wants no more, `gone` when its thread was deleted, `late` when the log was closed before it came. */
  state: 'reading' | 'left' | 'gone' | 'late';
}

/** Passes appended events to the tails of a log. Has no queue: a reader that is behind reads from the store. */
export class LiveTails {
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #onWaiting: ((waiting: boolean) => void) | undefined;
  readonly #endListeners = new Set<(threadId: string) => void>();
  #waiting = 0;
  #closed = false;

  /** `onWaiting` is called when the first reader begins to wait and when the last one stops. */
  constructor(onWaiting?: (waiting: boolean) => void) {
    this.#onWaiting = onWaiting;
  }

  /** The number of open tails. */
  get size(): number {
    return [...this.#readers.values()].reduce((sum, readers) => sum + readers.size, 0);
  }

  /** Hands stored events, in their order, to the readers of the thread; they share them. */
  publish(threadId: string, stored: Stored): void {
    const readers = this.#readers.get(threadId);
    if (readers === undefined || stored.events.length === 0) return;
    stored.events.forEach(freeze);
    for (const reader of readers) this.#wake(reader, stored);
  }

  /** Makes every reader look again: something changed without a notification. */
  wakeAll(): void {
    for (const threadId of this.#readers.keys()) this.wake(threadId);
  }

  /** Makes the readers of a thread look again. */
  wake(threadId: string): void {
    for (const reader of this.#readers.get(threadId) ?? []) this.#wake(reader);
  }

  /** Calls back when a thread is gone. Returns an unsubscribe function. */
  onEnd(listener: (threadId: string) => void): () => void {
    const own = (threadId: string) => listener(threadId);
    this.#endListeners.add(own);
    return () => void this.#endListeners.delete(own);
  }

  /** Ends the readers of a thread that is gone, also when another one gets its id. */
  end(threadId: string): void {
    for (const listener of this.#endListeners) listener(threadId);
    for (const reader of this.#readers.get(threadId) ?? []) this.#stop(reader, 'gone');
  }

  close(): void {
    this.#closed = true;
    this.wakeAll();
  }

  /**
   * The tail of a thread. A reader that stops is released at once, also while it waits for an event.
   */
  tail(
    source: TailSource,
    threadId: string,
    after: number,
    options: TailOptions,
  ): Taking<LoggedEvent> & Required<Pick<Tail, 'textOf'>> {
    checkTailOptions(options);
    const state = this.#closed ? 'late' : 'reading';
    const none = { ahead: undefined, current: undefined, waiting: undefined };
    const reader: Reader = { threadId, ...none, stale: false, state };
    const events = eachOfPages(this.#follow(source, reader, after, options), {
      isOver: () => this.#isOver(reader),
      leave: () => this.#stop(reader, 'left'),
    });
    return Object.assign(events, { textOf: (event: LoggedEvent) => textIn(reader.current, event) });
  }

  async *#follow(
    { read, isNewest, onEnd }: TailSource,
    reader: Reader,
    after: number,
    { signal, types }: TailOptions,
  ): AsyncGenerator<readonly LoggedEvent[], undefined> {
    if (reader.state === 'late') throw logClosed();
    const { threadId } = reader;
    const onAbort = () => this.#stop(reader, 'left');
    if (signal?.aborted) return;
    this.#join(reader);
    signal?.addEventListener('abort', onAbort);
    try {
      let position = after;
      let stored = isNewest?.(after) === true ? await this.#next(reader) : undefined;
      while (!this.#isOver(reader)) {
        if (reader.state === 'gone') throw threadNotFound(threadId);
        const fits = stored?.events[0]?.seq === position + 1;
        const page = { after: position, limit: pageSize, maxBytes: pageBytes };
        const events = fits && stored ? stored.events : await read(threadId, page);
        if (!fits) events.forEach(freeze);
        reader.current = fits ? stored : undefined;
        stored = undefined;
        position = events.at(-1)?.seq ?? position;
        yield types === undefined ? events : events.filter(({ type }) => types.includes(type));
        if (!fits && events.length === pageSize) await nextTurn();
        const isRead = fits || events.length === 0 || reader.ahead !== undefined || isNewest?.(position) === true;
        if (isRead) stored = await this.#next(reader);
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#leave(reader);
      onEnd?.();
    }
  }

  #isOver(reader: Reader): boolean {
    return this.#closed || reader.state === 'left';
  }

  #next(reader: Reader): Promise<Stored | undefined> {
    const { ahead } = reader;
    if (ahead !== undefined || reader.stale || this.#closed) {
      reader.ahead = undefined;
      if (ahead === undefined) reader.stale = false;
      return Promise.resolve(ahead);
    }
    return new Promise(resolve => {
      reader.waiting = resolve;
      if (this.#waiting++ === 0) this.#onWaiting?.(true);
    });
  }

  #wake(reader: Reader, stored?: Stored): void {
    const { waiting } = reader;
    if (waiting !== undefined) {
      reader.waiting = undefined;
      if (--this.#waiting === 0) this.#onWaiting?.(false);
      waiting(stored);
    } else if (stored !== undefined && reader.ahead === undefined && !reader.stale) reader.ahead = stored;
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
    if (reader.waiting !== undefined) this.#wake(reader);
    const readers = this.#readers.get(reader.threadId);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(reader.threadId);
  }
}

function textIn(stored: Stored | undefined, { seq }: LoggedEvent): string | undefined {
  return stored?.bodies[seq - (stored.events[0]?.seq ?? 0)];
}
