import { optionNamesCheck } from '../base/options/check-options.ts';
import type { LoggedEvent } from '../events/vocabulary.ts';
import { parseEventText } from '../events/parse.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { type Backoff, backoffMs } from './backoff.ts';
import { readFrames } from './read-frames.ts';

export interface WatchOptions {
  /** Only events with a higher seq; 0 when absent. */
  readonly after?: number;
  /** Ends the watch, without an error. */
  readonly signal?: AbortSignal;
  /** Is called when the connection is made, and when it is lost with the error that ended it, if there was one. */
  readonly onConnection?: (connected: boolean, error?: unknown) => void;
  /** Keeps trying when the first connection cannot be made; false by default: the watch rejects. */
  readonly waitForServer?: boolean;
}

const optionNames = ['after', 'signal', 'onConnection', 'waitForServer'] satisfies (keyof WatchOptions)[];
const checkOptions = optionNamesCheck('client.watch', optionNames);

export interface WatchSource extends Backoff {
  /** Opens the stream after a seq; rejects with a `SingletreeError`. */
  open(after: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** How long a connection may be silent before it is given up: longer than the server's keep-alive. */
  readonly idleMs: number;
}

/**
 * The events of a thread in order of seq, without gap or duplicate, for as long as the consumer takes them. A lost
 * connection is opened again after the last event. Throws when the server refuses (unknown thread, …), and
 * `server_unreachable` when it was never reached.
 */
export async function* watchEvents(source: WatchSource, options: WatchOptions): AsyncGenerator<LoggedEvent> {
  checkOptions(options);
  const { signal, onConnection, waitForServer = false } = options;
  let position = options.after ?? 0;
  let failures = 0;
  let wasReached = waitForServer;
  while (!signal?.aborted) {
    const connection = new AbortController();
    const stop = () => connection.abort();
    signal?.addEventListener('abort', stop);
    let failure: unknown;
    try {
      const body = await source.open(position, connection.signal);
      wasReached = true;
      onConnection?.(true);
      for await (const { data, id } of readFrames(body, source.idleMs)) {
        const event = parseEventText(data, `the event ${id ?? ''}`) as LoggedEvent;
        if (event.seq <= position) continue;
        if (event.seq > position + 1) break;
        position = event.seq;
        failures = 0;
        yield event;
      }
    } catch (error) {
      failure = error;
      if (!signal?.aborted && (isRefusal(error) || (!wasReached && isUnreachable(error)))) throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      connection.abort();
      onConnection?.(false, failure);
    }
    if (!signal?.aborted) await source.delay(backoffMs(failures++, source.random()), signal);
  }
}

/** Whether the server refused: to try again would not help. */
export function isRefusal(error: unknown): boolean {
  return SingletreeError.is(error) && error.status >= 400 && error.status < 500;
}

/** Whether no server of ours answered; one that answers with an error is tried again. */
function isUnreachable(error: unknown): boolean {
  return SingletreeError.is(error, 'server_unreachable') && error.details['status'] === undefined;
}
