import { optionNamesCheck } from '../base/options/check-options.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { parseEventText } from '../events/parse.ts';
import type { LoggedEvent } from '../events/vocabulary.ts';
import { type ThreadNews, threadNews } from '../protocols/http-api.ts';
import { type Backoff, backoffMs } from './backoff.ts';
import { type Frame, readFrames } from './read-frames.ts';

export interface ThreadWatchOptions {
  /** Ends the watch, without an error. */
  readonly signal?: AbortSignal;
  /** Called when the connection opens, and when it is lost, with the error that ended it if any. */
  readonly onConnection?: (connected: boolean, error?: unknown) => void;
}

export interface WatchOptions extends ThreadWatchOptions {
  /** Only events with a higher seq; 0 when absent. */
  readonly after?: number;
  /** Keeps trying when the first connection cannot be made; false by default: the watch rejects. */
  readonly waitForServer?: boolean;
}

const threadOptionNames = ['signal', 'onConnection'] satisfies (keyof ThreadWatchOptions)[];
const checkThreadOptions = optionNamesCheck('client.watchThreads', threadOptionNames);
const optionNames = ['after', ...threadOptionNames, 'waitForServer'] satisfies (keyof WatchOptions)[];
const checkOptions = optionNamesCheck('client.watch', optionNames);

interface StreamTimes extends Backoff {
  /** The idle time after which a connection is abandoned; longer than the server's keep-alive interval. */
  readonly idleMs: number;
}

export interface WatchSource extends StreamTimes {
  /** Opens the stream after a seq; rejects with a `SingletreeError`. */
  open(after: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

export interface ThreadWatchSource extends StreamTimes {
  /** Opens the stream; rejects with a `SingletreeError`. */
  open(signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

/**
 * Yields the events of a thread in order of seq, without gap or duplicate, for as long as the consumer takes them. A lost
 * connection is opened again after the last event. Throws when the server refuses (unknown thread, …), and
 * `server_unreachable` when it was never reached.
 */
export async function* watchEvents(source: WatchSource, options: WatchOptions): AsyncGenerator<LoggedEvent> {
  checkOptions(options);
  let position = options.after ?? 0;
  yield* followStream(source, options, {
    open: signal => source.open(position, signal),
    read: ({ data, id }) => {
      const event = parseEventText(data, `the event ${id ?? ''}`) as LoggedEvent;
      if (event.seq <= position) return undefined;
      if (event.seq > position + 1) return 'gap';
      position = event.seq;
      return event;
    },
  });
}

/**
 * Yields the changes in the list of threads. A lost connection is opened again, and begins with what is active then:
 * changes in between are not repeated. Throws when the server refuses.
 */
export async function* watchThreadNews(
  source: ThreadWatchSource,
  options: ThreadWatchOptions,
): AsyncGenerator<ThreadNews> {
  checkThreadOptions(options);
  yield* followStream(
    source,
    { ...options, waitForServer: true },
    { open: signal => source.open(signal), read: ({ data }) => threadNews.parse(JSON.parse(data)) },
  );
}

interface FollowedStream<Item> {
  readonly open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  /** Returns the item of a frame; undefined for a duplicate, `gap` when items before it are missing. */
  readonly read: (frame: Frame) => Item | 'gap' | undefined;
}

/** Yields the items of a stream, which is opened again when it is lost or has a gap, until the signal aborts. */
async function* followStream<Item>(
  { idleMs, delay, random }: StreamTimes,
  { signal, onConnection, waitForServer = false }: WatchOptions,
  { open, read }: FollowedStream<Item>,
): AsyncGenerator<Item> {
  let wasReached = waitForServer;
  for (let failures = 0; !signal?.aborted; ) {
    const connection = new AbortController();
    const stop = () => connection.abort();
    signal?.addEventListener('abort', stop);
    let failure: unknown;
    try {
      const body = await open(connection.signal);
      wasReached = true;
      onConnection?.(true);
      for await (const frame of readFrames(body, idleMs)) {
        const item = read(frame);
        if (item === undefined) continue;
        if (item === 'gap') break;
        failures = 0;
        yield item;
      }
    } catch (error) {
      failure = error;
      if (!signal?.aborted && (isRefusal(error) || (!wasReached && isUnreachable(error)))) throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      connection.abort();
      onConnection?.(false, failure);
    }
    if (!signal?.aborted) await delay(backoffMs(failures++, random()), signal);
  }
}

/** Whether the server refused the request, so that a retry would not help. */
export function isRefusal(error: unknown): boolean {
  return SingletreeError.is(error) && error.status >= 400 && error.status < 500;
}

/** Whether no Singletree server answered; error responses of a server are retried. */
function isUnreachable(error: unknown): boolean {
  return SingletreeError.is(error, 'server_unreachable') && error.details['status'] === undefined;
}
