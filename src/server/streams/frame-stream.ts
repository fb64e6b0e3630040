import type { Redactor } from '../../agents/redaction/redactor.ts';
import type { Site } from '../site.ts';
import type { Framing } from '../../protocols/framing.ts';
import type { Silent } from './keep-alive.ts';
import { toProblem } from '../problem-response.ts';

const text = new TextEncoder();

/** Returns the frames to send; it ends when the signal aborts. */
type Frames = (signal: AbortSignal) => AsyncIterable<string>;

/** Responds with a stream in the headers of its framing; its headers keep caches and proxies from holding it back. */
export function streamResponse(body: ReadableStream<Uint8Array> | null, { headers }: Framing): Response {
  return new Response(body, { headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no', ...headers } });
}

/**
 * Responds with frames. A frame is encoded only when the reader has room for it, so a slow reader costs no memory. When
 * encoding fails, the last frame carries the problem.
 */
export function frameResponse(site: Site, framing: Framing, frames: Frames): Response {
  const { redactor, keepAlive, signal } = site;
  const detached = new AbortController();
  const iterator = frames(AbortSignal.any([signal, detached.signal]))[Symbol.asyncIterator]();
  let pulse: Silent;
  const body = new ReadableStream<Uint8Array>({
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
  return streamResponse(body, framing);
}

/** Encodes the last frame of a stream that cannot continue. */
export function framedProblem(error: unknown, framing: Framing, redactor: Redactor): Uint8Array {
  const problem = toProblem(error);
  return new TextEncoder().encode(framing.problem({ ...problem, detail: redactor.text(problem.detail) }));
}
