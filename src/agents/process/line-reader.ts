/** A line with its ending, or a piece of an overlong line: `long` is the first piece, `rest` a later one. */
export interface LinePiece {
  readonly kind: 'line' | 'long' | 'rest';
  readonly bytes: Uint8Array;
}

const newline = 0x0a;
const defaultMax = 64 * 1024 * 1024;

/** Splits a stream of bytes into lines, independent of chunk boundaries; the pieces concatenate to the stream. */
export class LineReader {
  readonly #max: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  #inLong = false;

  constructor(max: number = defaultMax) {
    this.#max = max;
  }

  /** Returns the lines that are complete now. */
  push(chunk: Uint8Array): LinePiece[] {
    const pieces: LinePiece[] = [];
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      this.#add(chunk.subarray(from, at + 1), pieces);
      pieces.push(this.#take(true));
      from = at + 1;
    }
    this.#add(chunk.subarray(from), pieces);
    return pieces;
  }

  /** Returns the remaining last line without an ending. */
  end(): LinePiece[] {
    return this.#length === 0 ? [] : [this.#take(true)];
  }

  #add(bytes: Uint8Array, pieces: LinePiece[]): void {
    let rest = bytes;
    while (this.#length + rest.length > this.#max) {
      const room = this.#max - this.#length;
      this.#hold(rest.subarray(0, room));
      rest = rest.subarray(room);
      pieces.push(this.#take(false));
    }
    this.#hold(rest);
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  #take(ends: boolean): LinePiece {
    const [only] = this.#parts;
    const bytes = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    const kind = this.#inLong ? 'rest' : ends ? 'line' : 'long';
    this.#parts = [];
    this.#length = 0;
    this.#inLong = !ends;
    return { kind, bytes };
  }
}

/** Returns the text of a line without its ending; bytes that are not UTF-8 are replaced. */
export function lineText(bytes: Uint8Array): string {
  let end = bytes.length;
  if (bytes[end - 1] === newline) end--;
  if (bytes[end - 1] === 0x0d) end--;
  return decoder.decode(bytes.subarray(0, end));
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
