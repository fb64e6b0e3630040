import type { Redactor } from '../../agents/redaction/redactor.ts';
import type { LoggedEvent } from '../../events/index.ts';
import type { EventLog } from '../../log/index.ts';
import { type Encoder, encodeSse } from '../../protocols/index.ts';
import { RedactedEvents } from '../security/redacted-events.ts';
import { frameId, type Position } from './position.ts';

export interface EncodedOptions {
  readonly log: EventLog;
  readonly threadId: string;
  readonly encoder: Encoder<unknown>;
  /** The seq before the first event to fold. */
  readonly from: number;
  /** What the reader has: it is folded and not sent. */
  readonly after: Position;
  /** Whether the frames end with the request; they go on with the thread when not. */
  readonly ends?: boolean;
  /** The run of the request; the first that begins when absent. */
  readonly runId?: string;
  readonly redactor: Redactor;
  /** What is sent after the last chunk. */
  readonly last: string;
  readonly signal: AbortSignal;
  /** What is sent when the events end before the request does, as when the server ends. */
  readonly cutOff?: object;
  /** Told how many events were sent. */
  readonly onSent: (count: number) => void;
  /** Sees every event, and what was made of it; what it gives is sent last, and ends the frames early. */
  readonly pause?: (event: LoggedEvent, chunks: readonly unknown[]) => Promise<object | undefined>;
}

/**
 * What a protocol makes of a thread's events, as server-sent events whose ids say where a reader is. A reader that
 * comes back gets what it has not seen: the events before are folded again, silently.
 */
export async function* encodedFrames(options: EncodedOptions): AsyncGenerator<string> {
  const { log, threadId, encoder, from, after, ends = false, redactor, last, signal, cutOff, onSent, pause } = options;
  const frame = (chunk: unknown, id?: string) =>
    encodeSse({ ...(id !== undefined && { id }), data: redactor.json(JSON.stringify(chunk)) });
  let { runId } = options;
  for await (const event of redactedTail(log, threadId, { from, redactor, signal })) {
    const chunks = encoder.encode(event);
    const skipped = event.seq <= after.seq ? chunks.length : event.seq === after.seq + 1 ? after.chunks : 0;
    const frames = chunks
      .map((chunk, index) => frame(chunk, frameId(event.seq, index + 1, chunks.length)))
      .slice(skipped);
    if (frames.length > 0) {
      onSent(1);
      yield frames.join('');
    }
    if (event.type === 'harness_start') runId ??= event.runId;
    if (ends && event.type === 'harness_end' && event.runId === runId) {
      if (last !== '') yield last;
      return;
    }
    const parting = await pause?.(event, chunks);
    if (parting === undefined || event.seq <= after.seq) continue;
    yield frame(parting) + last;
    return;
  }
  if (cutOff !== undefined) yield frame(cutOff) + last;
}

interface TailOptions {
  readonly from: number;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

/** The events of a thread from a seq on, as they may be shown. */
async function* redactedTail(log: EventLog, threadId: string, { from, redactor, signal }: TailOptions) {
  const events = new RedactedEvents(redactor);
  for await (const event of log.tail(threadId, from, { signal })) yield* events.push(event);
}
