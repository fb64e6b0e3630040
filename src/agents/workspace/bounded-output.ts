/** Keeps the start and the end of a program's output; counts and drops the middle. */
export class BoundedOutput {
  readonly #headMax: number;
  readonly #tailMax: number;
  readonly #head: Uint8Array[] = [];
  #headLength = 0;
  #tail: Uint8Array[] = [];
  #tailLength = 0;
  #total = 0;

  constructor(headMax: number, tailMax: number) {
    this.#headMax = headMax;
    this.#tailMax = tailMax;
  }

  /** The number of bytes received. */
  get total(): number {
    return this.#total;
  }

  /** The number of bytes dropped. */
  get leftOut(): number {
    return this.#total - this.#headLength - Math.min(this.#tailLength, this.#tailMax);
  }

  push(chunk: Uint8Array): void {
    this.#total += chunk.length;
    const room = Math.min(chunk.length, this.#headMax - this.#headLength);
    if (room > 0) {
      this.#head.push(chunk.slice(0, room));
      this.#headLength += room;
    }
    if (room < chunk.length) this.#pushTail(chunk.slice(Math.max(room, chunk.length - this.#tailMax)));
  }

  /** The text; bytes that are not UTF-8 are replaced. */
  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = this.#tailBytes();
    const { leftOut } = this;
    if (leftOut === 0) return decode(Buffer.concat([head, tail]));
    return `${decode(wholeStart(head))}\n[… ${leftOut} bytes omitted …]\n${decode(wholeEnd(tail))}`;
  }

  /** The end of the text, at most this many bytes. */
  last(bytes: number): string {
    const isWhole = this.leftOut === 0;
    const kept = Buffer.concat(isWhole ? [...this.#head, this.#tailBytes()] : [this.#tailBytes()]);
    return decode(isWhole && kept.length <= bytes ? kept : wholeEnd(kept.subarray(Math.max(0, kept.length - bytes))));
  }

  #pushTail(bytes: Uint8Array): void {
    this.#tail.push(bytes);
    this.#tailLength += bytes.length;
    // Pieces are joined when they reach twice the limit, so that many small ones cost no more than their bytes.
    if (this.#tailLength < 2 * this.#tailMax && this.#tail.length < 1024) return;
    const kept = Uint8Array.from(this.#tailBytes());
    this.#tail = [kept];
    this.#tailLength = kept.length;
  }

  #tailBytes(): Uint8Array {
    const joined = Buffer.concat(this.#tail);
    return joined.subarray(Math.max(0, joined.length - this.#tailMax));
  }
}

const decoder = new TextDecoder();

function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Drops an incomplete character at the end. */
function wholeStart(bytes: Uint8Array): Uint8Array {
  let start = bytes.length - 1;
  while (start > 0 && bytes.length - start < 4 && isContinuation(bytes[start])) start--;
  const first = bytes[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? bytes.subarray(0, start) : bytes;
}

/** Drops an incomplete character at the start. */
function wholeEnd(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
