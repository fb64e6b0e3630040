import { defined } from '../../../base/defined.ts';
import type { RawLine } from '../../../log/event-log.ts';
import { type LinePiece, LineReader, lineText } from '../../process/line-reader.ts';
import { readRawRecord } from './raw-record.ts';

/** A line of a saved stream; `ts` is the time of its output, if saved. */
export interface SavedLine extends LinePiece {
  readonly stream: RawLine['stream'];
  readonly ts?: string;
}

/** Chunks of a saved stream: bytes or text, as from a file, standard input or an array. */
export type SavedChunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** Yields the lines of saved output: the program's stdout, or the `raw.jsonl` of a run with both streams. */
export async function* savedLines(chunks: SavedChunks): AsyncGenerator<SavedLine> {
  const pieces = new LineReader();
  const streams = { stdout: new LineReader(), stderr: new LineReader() };
  let isRecord: boolean | undefined;
  let last: string | undefined;
  let held: Uint8Array[] = [];

  function* take(piece: LinePiece, isEnd: boolean): Generator<SavedLine> {
    if (isRecord === undefined && lineText(piece.bytes).trim() !== '')
      isRecord = piece.kind === 'line' && readRawRecord(lineText(piece.bytes)) !== undefined;
    if (isRecord !== true) {
      yield { ...piece, stream: 'stdout' };
      return;
    }
    held.push(piece.bytes);
    if (!isEnd && piece.bytes.at(-1) !== 0x0a) return;
    const whole = Buffer.concat(held);
    held = [];
    yield* decoded(whole);
  }

  function* decoded(bytes: Uint8Array): Generator<SavedLine> {
    const text = lineText(bytes);
    if (text.trim() === '') return;
    const record = readRawRecord(text);
    last = record?.ts ?? last;
    const time = last === undefined ? {} : { ts: last };
    // A record that cannot be decoded, such as one that was cut off, is kept as output that is not understood.
    if (record === undefined) yield { kind: 'line', bytes, stream: 'stdout', ...time };
    else
      for (const piece of streams[record.stream].push(record.line)) yield { ...piece, stream: record.stream, ...time };
  }

  for await (const chunk of chunks)
    for (const piece of pieces.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) yield* take(piece, false);
  for (const piece of pieces.end()) yield* take(piece, true);
  for (const stream of ['stdout', 'stderr'] as const)
    for (const piece of streams[stream].end()) yield { ...piece, stream, ...defined({ ts: last }) };
}
