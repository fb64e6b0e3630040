import type { AgentEvent } from '../events/vocabulary.ts';

/**
 * Turns the events of a thread into the chunks of one protocol: a fold with constant work per event. The same events
 * always give the same chunks, so a reader that reconnects is served by folding the log again.
 */
export interface Encoder<Chunk> {
  /** Returns the chunks of the next event; none for an event the encoder does not know. */
  encode(event: AgentEvent): Chunk[];
  /** Returns the final chunks after the last event; the encoder must not be used afterwards. */
  end(): Chunk[];
}

/** Returns all chunks of these events, including the final ones. */
export function encodeAll<Chunk>(encoder: Encoder<Chunk>, events: Iterable<AgentEvent>): Chunk[] {
  const chunks: Chunk[] = [];
  for (const event of events) chunks.push(...encoder.encode(event));
  chunks.push(...encoder.end());
  return chunks;
}
