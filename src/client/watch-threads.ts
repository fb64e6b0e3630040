import { optionNamesCheck } from '../base/options/check-options.ts';
import { type ThreadNews, threadNews } from '../protocols/http-api.ts';
import { type Backoff, backoffMs } from './backoff.ts';
import { readFrames } from './read-frames.ts';
import { isRefusal } from './watch.ts';

export interface ThreadWatchOptions {
  /** Ends the watch, without an error. */
  readonly signal?: AbortSignal;
  /** Called when the connection is made, and when it is lost with the error that ended it, if there was one. */
  readonly onConnection?: (connected: boolean, error?: unknown) => void;
}

const optionNames = ['signal', 'onConnection'] satisfies (keyof ThreadWatchOptions)[];
const checkOptions = optionNamesCheck('client.watchThreads', optionNames);

export interface ThreadWatchSource extends Backoff {
  /** Opens the stream; rejects with a `SingletreeError`. */
  open(signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** How long a connection may be silent before it is given up: longer than the server's keep-alive. */
  readonly idleMs: number;
}

/**
 * Yields the changes in the list of threads. A lost connection is opened again, and begins with what is active then:
 * changes in between are not repeated. Throws when the server refuses.
 */
export async function* watchThreadNews(
  source: ThreadWatchSource,
  options: ThreadWatchOptions,
): AsyncGenerator<ThreadNews> {
  checkOptions(options);
  const { signal, onConnection } = options;
  for (let failures = 0; !signal?.aborted; ) {
    const connection = new AbortController();
    const stop = () => connection.abort();
    signal?.addEventListener('abort', stop);
    let failure: unknown;
    try {
      const body = await source.open(connection.signal);
      onConnection?.(true);
      for await (const { data } of readFrames(body, source.idleMs)) {
        failures = 0;
        yield threadNews.parse(JSON.parse(data));
      }
    } catch (error) {
      failure = error;
      if (!signal?.aborted && isRefusal(error)) throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      connection.abort();
      onConnection?.(false, failure);
    }
    if (!signal?.aborted) await source.delay(backoffMs(failures++, source.random()), signal);
  }
}
