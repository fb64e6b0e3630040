import type { Redactor } from '../../agents/redaction/redactor.ts';
import { encodeSseComment } from '../../protocols/index.ts';
import type { KeepAlive, Silent } from './keep-alive.ts';
import { errorFrame } from './live-stream.ts';

export interface FrameStreamOptions {
  /** Gives what is sent; it ends when the signal aborts. */
  readonly frames: (signal: AbortSignal) => AsyncIterable<string>;
  readonly redactor: Redactor;
  readonly keepAlive: KeepAlive;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

const text = new TextEncoder();

/**
 * Frames as a response body. One is made only when the reader has room for it, so a slow reader costs no memory. When
 * they fail, the last frame is named `error` and carries the problem.
 */
export function frameStream({ frames, redactor, keepAlive, signal }: FrameStreamOptions): ReadableStream<Uint8Array> {
  const detached = new AbortController();
  const iterator = frames(AbortSignal.any([signal, detached.signal]))[Symbol.asyncIterator]();
  let pulse: Silent;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(text.encode(encodeSseComment('open')));
      // Comments do not pile up before a reader that takes nothing.
      pulse = { sent: true, send: bytes => void ((controller.desiredSize ?? 0) >= 0 && controller.enqueue(bytes)) };
      keepAlive.add(pulse);
    },
    async pull(controller) {
      try {
        const next = await iterator.next();
        if (detached.signal.aborted) return;
        if (!next.done) {
          pulse.sent = true;
          return controller.enqueue(text.encode(next.value));
        }
      } catch (error) {
        controller.enqueue(errorFrame(error, redactor));
      }
      keepAlive.delete(pulse);
      controller.close();
    },
    cancel() {
      keepAlive.delete(pulse);
      detached.abort();
    },
  });
}
