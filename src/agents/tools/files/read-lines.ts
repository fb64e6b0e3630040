import type { FileHandle } from 'node:fs/promises';
import { type LinePiece, LineReader, lineText } from '../../process/line-reader.ts';

export interface LineSelection {
  /** The first line, counted from 1. */
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

const chunkSize = 64 * 1024;
const longestLine = 2_000;
/** The size limit for one result: less than the size at which the loop shortens an output. */
const mostCharacters = 25_000;

/** Reads some lines of a file of any length; `isEnd` is true when nothing follows. Lines that are too long are cut. */
export async function readLines(
  handle: FileHandle,
  { offset, limit, signal }: LineSelection,
): Promise<{ lines: string[]; isEnd: boolean }> {
  const lines: string[] = [];
  let number = 0;
  let remaining = mostCharacters;
  for await (const { kind, bytes } of readPieces(handle, signal)) {
    if (kind === 'rest') continue;
    number++;
    if (number < offset) continue;
    const line = shownLine(lineText(bytes));
    remaining -= line.length + String(number).length + 2;
    if (lines.length >= limit || (remaining < 0 && lines.length > 0)) return { lines, isEnd: false };
    lines.push(line);
  }
  return { lines, isEnd: true };
}

async function* readPieces(handle: FileHandle, signal: AbortSignal): AsyncGenerator<LinePiece> {
  const reader = new LineReader(chunkSize);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(chunkSize) });
    if (bytesRead === 0) break;
    yield* reader.push(buffer.subarray(0, bytesRead));
  }
  yield* reader.end();
}

function shownLine(line: string): string {
  return line.length <= longestLine ? line : `${line.slice(0, longestLine)} [… the rest of this line is omitted]`;
}
