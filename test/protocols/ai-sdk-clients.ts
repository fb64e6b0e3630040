import * as ai6 from 'ai';
import * as ai5 from 'ai5';
import * as ai7 from 'ai7';
import { type AiSdkChunk, aiSdkFraming, type AiSdkVersion } from '../../src/protocols/index.ts';

/** The message a client made of a stream, and the errors it met. */
export interface ReadMessage {
  readonly message: unknown;
  readonly errors: readonly string[];
}

/** The chunks as a client receives them: text over the wire, parsed and checked by the client's own code. */
function responseBody(chunks: readonly AiSdkChunk[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const text = [...chunks.map(chunk => aiSdkFraming.frame(JSON.stringify(chunk))), aiSdkFraming.last].join('');
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

type Parsed<Chunk> = { success: true; value: Chunk } | { success: false; error: unknown };

/** Passes on what could be parsed; what could not breaks the stream, as in a client's transport. */
function valuesOf<Chunk>(parsed: ReadableStream<Parsed<Chunk>>): ReadableStream<Chunk> {
  return parsed.pipeThrough(
    new TransformStream<Parsed<Chunk>, Chunk>({
      transform(result, controller) {
        if (!result.success) throw result.error;
        controller.enqueue(result.value);
      },
    }),
  );
}

async function lastOf(read: (onError: (error: unknown) => void) => AsyncIterable<unknown>): Promise<ReadMessage> {
  const errors: string[] = [];
  let message: unknown;
  for await (const next of read(error => errors.push(error instanceof Error ? error.message : String(error))))
    message = next;
  return { message: withoutUndefined(message), errors };
}

/** Clients leave fields with no value behind. */
function withoutUndefined(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

const clients: Record<AiSdkVersion, (body: ReadableStream<Uint8Array<ArrayBuffer>>) => Promise<ReadMessage>> = {
  5: body => {
    const stream = valuesOf(ai5.parseJsonEventStream({ stream: body, schema: ai5.uiMessageChunkSchema }));
    return lastOf(onError => ai5.readUIMessageStream({ stream, onError }));
  },
  6: body => {
    const stream = valuesOf(ai6.parseJsonEventStream({ stream: body, schema: ai6.uiMessageChunkSchema }));
    return lastOf(onError => ai6.readUIMessageStream({ stream, onError }));
  },
  7: body => {
    const stream = valuesOf(ai7.parseJsonEventStream({ stream: body, schema: ai7.uiMessageChunkSchema }));
    return lastOf(onError => ai7.readUIMessageStream({ stream, onError }));
  },
};

export const versions: readonly AiSdkVersion[] = [5, 6, 7];

/** What the real client of a version makes of these chunks. */
export function readMessage(version: AiSdkVersion, chunks: readonly AiSdkChunk[]): Promise<ReadMessage> {
  return clients[version](responseBody(chunks));
}
