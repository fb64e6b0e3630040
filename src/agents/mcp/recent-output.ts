import { StringDecoder } from 'node:string_decoder';

const mostKept = 8_192;
const mostLines = 5;
const longestLine = 300;

/** Keeps the end of a program's output within a bounded size. */
export class RecentOutput {
  readonly #decoder = new StringDecoder('utf8');
  #text = '';

  add(bytes: Uint8Array): void {
    this.#text = `${this.#text}${this.#decoder.write(bytes.subarray(-mostKept))}`.slice(-mostKept);
  }

  /** The last non-empty lines; long ones are cut. */
  lastLines(): readonly string[] {
    return this.#text
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== '')
      .slice(-mostLines)
      .map(line => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line));
  }
}
