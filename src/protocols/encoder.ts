import type { AgentEvent } from '../events/index.ts';
import { encodeSse } from './sse.ts';

/**
 * Turns the events of a thread into what one protocol sends: a fold with constant work per event. The same events
 * always give the same chunks, so a reader that comes back is served by folding the log again.
 */
export interface Encoder<Chunk> {
  /** What one more event sends. Events the encoder does not know send nothing. */
  encode(event: AgentEvent): Chunk[];
  /** What is left to send when no more events come; an encoder takes nothing after it. */
  end(): Chunk[];
}

/** Everything that these events send, the end included. */
export function encodeAll<Chunk>(encoder: Encoder<Chunk>, events: Iterable<AgentEvent>): Chunk[] {
  const chunks: Chunk[] = [];
  for (const event of events) chunks.push(...encoder.encode(event));
  chunks.push(...encoder.end());
  return chunks;
}

/** How the chunks of a protocol are written to an HTTP response. */
export interface Framing {
  readonly headers: Readonly<Record<string, string>>;
  /** One chunk as text. */
  readonly frame: (chunk: unknown) => string;
  /** What is written after the last chunk. */
  readonly last: string;
}

/** Server-sent events: one `data:` frame for each chunk. */
export const sseFraming: Framing = {
  headers: {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  },
  frame: chunk => encodeSse({ data: JSON.stringify(chunk) }),
  last: '',
};

/** One JSON value on each line. */
export const ndjsonFraming: Framing = {
  headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
  frame: chunk => `${JSON.stringify(chunk)}\n`,
  last: '',
};
