import type { ServerResponse } from 'node:http';

/** Where the bytes of a stream go. */
export interface ByteSink {
  /** How many bytes wait to be read. */
  readonly waiting: number;
  write(bytes: Uint8Array): void;
  end(): void;
}

/** Produces the bytes of a stream. */
export interface ByteSource {
  /** Called when the reader has room: at the start, and whenever the queue was drained. */
  resume(): void;
  /** Called when the reader disconnects. */
  leave(): void;
}

/** Opens a stream and returns the source that writes to the sink. */
export type OpenStream = (sink: ByteSink) => ByteSource;

/** How many bytes may wait before a source is asked to pause. */
export const aheadBytes: number = 64 * 1024;

/** Streams as the body of a web response. */
export function webBody(open: OpenStream): ReadableStream<Uint8Array> {
  let source: ByteSource;
  return new ReadableStream<Uint8Array>(
    {
      start: controller => {
        source = open({
          get waiting() {
            return aheadBytes - (controller.desiredSize ?? aheadBytes);
          },
          write: bytes => controller.enqueue(bytes),
          end: () => controller.close(),
        });
      },
      pull: () => source.resume(),
      cancel: () => source.leave(),
    },
    { highWaterMark: aheadBytes, size: chunk => chunk.byteLength },
  );
}

/** Streams to a response of Node's server directly: each chunk is queued once, at its socket. */
export function sendStream(open: OpenStream, response: ServerResponse, head: Response): void {
  response.writeHead(head.status, Object.fromEntries(head.headers));
  const source = open({
    get waiting() {
      return response.writableLength;
    },
    write: bytes => void response.write(bytes),
    end: () => void response.end(),
  });
  response.on('drain', () => source.resume());
  response.once('close', () => source.leave());
  source.resume();
}
