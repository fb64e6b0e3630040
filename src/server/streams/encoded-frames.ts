import * as z from 'zod';
import type { Redactor } from '../../agents/redaction/redactor.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { Encoder } from '../../protocols/encoder.ts';
import type { Framing } from '../../protocols/framing.ts';
import { redactedEvents } from '../../agents/redaction/redacted-events.ts';
import type { ThreadRawLines } from './thread-raw-lines.ts';

export interface EncodedOptions {
  readonly log: EventLog;
  readonly threadId: string;
  readonly encoder: Encoder<unknown>;
  readonly framing: Framing;
  /** The seq before the first event to fold. */
  readonly from: number;
  /** The position of the reader; events up to it are folded but not sent. */
  readonly after: Position;
  /** Whether the frames end with the request; otherwise they follow the thread. */
  readonly ends?: boolean;
  /** The run of the request; the first that begins when absent. */
  readonly runId?: string;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  /** Sent when the events end before the request does, for example when the server closes. */
  readonly cutOff?: object;
  /** Counts the events that were sent. */
  readonly onSent: (count: number) => void;
  /** The raw lines that the encoder uses. */
  readonly rawLines?: ThreadRawLines;
  /** Receives every event with its chunks; chunks it returns are sent last and end the frames early. */
  readonly pause?: (event: LoggedEvent, chunks: readonly unknown[]) => Promise<readonly object[] | undefined>;
}

/**
 * Yields a thread's events in a protocol, as frames whose ids are positions. A reader that reconnects receives what it
 * has not seen: the events before its position are folded again without being sent.
 */
export async function* encodedFrames(options: EncodedOptions): AsyncGenerator<string> {
  const { log, threadId, encoder, from, after, ends = false, redactor, signal, cutOff, onSent, pause } = options;
  const { framing, rawLines } = options;
  const { last } = framing;
  const frame = (chunk: unknown, id?: string) => framing.frame(redactor.json(JSON.stringify(chunk)), id);
  let { runId } = options;
  for await (const event of redactedEvents(log.tail(threadId, from, { signal }), redactor)) {
    await rawLines?.read(event);
    const chunks = encoder.encode(event);
    rawLines?.passed(event);
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
    yield parting.map(chunk => frame(chunk)).join('') + last;
    return;
  }
  if (cutOff !== undefined) yield frame(cutOff) + last;
}

/** The position of a reader of encoded frames: all events up to `seq`, and a number of chunks of the next one. */
export interface Position {
  readonly seq: number;
  readonly chunks: number;
}

/** The id of the last chunk of an event is its seq; one before it says also its number, as in `12:1`. */
function frameId(seq: number, number: number, count: number): string {
  return number === count ? String(seq) : `${seq}:${number}`;
}

/** A position written as a frame's id. */
export const position = z
  .string()
  .regex(/^\d{1,15}(:\d{1,6})?$/, 'expected a whole number, or the id of a frame')
  .transform((id): Position => {
    const [seq, chunks] = id.split(':').map(Number) as [number, number?];
    return chunks === undefined ? { seq, chunks: 0 } : { seq: Math.max(0, seq - 1), chunks };
  });
