import { StandardStream } from '../../src/control/standard-output.ts';

/** A standard stream that keeps what is written to it. */
export function recordedStream({ isTTY = false } = {}) {
  const chunks: Buffer[] = [];
  const write = (data: string | Uint8Array) => chunks.push(Buffer.from(data)) > 0;
  const target = { isTTY, destroyed: false, errored: null, write } as unknown as NodeJS.WriteStream;
  const bytesWritten = () => Buffer.concat(chunks);
  return { stream: new StandardStream(() => target), bytesWritten, printed: () => bytesWritten().toString() };
}
