import type { LoggedEvent } from '../events/index.ts';
import { encodeSse, encodeSseComment } from '../protocols/index.ts';
import { problemOf } from './problem-response.ts';

export interface EventStreamOptions {
  /** Gives the events; it ends when the signal aborts. */
  readonly events: (signal: AbortSignal) => AsyncIterable<LoggedEvent>;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** How long nothing is sent before a comment is. */
  readonly keepAliveMs: number;
}

/**
 * Events as server-sent events, `id` their seq. An event is taken only when the reader has room for it, so a slow
 * reader costs no memory. When the events fail, the last frame is named `error` and carries the problem.
 */
export function eventStream({ events, signal, keepAliveMs }: EventStreamOptions): ReadableStream<Uint8Array> {
  const detached = new AbortController();
  const iterator = events(AbortSignal.any([signal, detached.signal]))[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<LoggedEvent>> | undefined;

  return new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(encoder.encode(encodeSseComment('open'))),
    async pull(controller) {
      try {
        next ??= iterator.next();
        const result = await within(next, keepAliveMs);
        if (result === 'late') return controller.enqueue(encoder.encode(encodeSseComment('keep-alive')));
        next = undefined;
        if (result.done) return controller.close();
        const event = result.value;
        controller.enqueue(encoder.encode(encodeSse({ id: event.seq, data: JSON.stringify(event) })));
      } catch (error) {
        controller.enqueue(encoder.encode(encodeSse({ event: 'error', data: JSON.stringify(problemOf(error)) })));
        controller.close();
      }
    },
    cancel: () => detached.abort(),
  });
}

async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>(resolve => {
    timer = setTimeout(resolve, ms, 'late');
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
