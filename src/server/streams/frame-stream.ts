import type { Redactor } from '../../agents/redaction/redactor.ts';
import type { Framing } from '../../protocols/framing.ts';
import { framedProblem } from './framed-problem.ts';
import type { KeepAlive, Silent } from './keep-alive.ts';

export interface FrameStreamOptions {
  /** Returns the frames to send; it ends when the signal aborts. */
  readonly frames: (signal: AbortSignal) => AsyncIterable<string>;
  readonly framing: Framing;
  readonly redactor: Redactor;
  readonly keepAlive: KeepAlive;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

const text = new TextEncoder();

/**
 * Returns frames as a response body. A frame is encoded only when the reader has room for it, so a slow reader costs no
 * memory. When encoding fails, the last frame carries the problem.
 */
export function frameStream(options: FrameStreamOptions): ReadableStream<Uint8Array> {
  const { frames, framing, redactor, keepAlive, signal } = options;
  const detached = new AbortController();
  const iterator = frames(AbortSignal.any([signal, detached.signal]))[Symbol.asyncIterator]();
  let pulse: Silent;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(text.encode(framing.comment('open')));
      const comment = text.encode(framing.comment('keep-alive'));
      // Comments do not pile up for a reader that reads nothing.
      pulse = { sent: true, keepAlive: () => void ((controller.desiredSize ?? 0) >= 0 && controller.enqueue(comment)) };
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
        controller.enqueue(framedProblem(error, framing, redactor));
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
