import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Redactor } from '../agents/redaction/redactor.ts';
import { safeJson, safeText } from '../events/terminal-text.ts';

/** How a question ends without an answer. */
export interface AskOptions {
  readonly signal?: AbortSignal;
  /** Called for Ctrl-C. */
  readonly onInterrupt?: () => void;
}

let redactor: Redactor | undefined;

/** Hides these secrets in everything that is written as text or JSON from now on. */
export function hideSecrets(secrets: Redactor): void {
  redactor = secrets;
}

function shownText(text: string): string {
  return safeText(redactor?.text(text) ?? text);
}

/**
 * Standard output or standard error: nothing but this and the screen of the terminal writes there. A text is made safe for
 * a terminal; the only control characters that reach one are those of `redraw` and `bell`.
 */
export class StandardStream {
  readonly #open: () => NodeJS.WriteStream;
  #drained: Promise<unknown> | undefined;

  constructor(open: () => NodeJS.WriteStream) {
    this.#open = open;
  }

  get isTerminal(): boolean {
    return this.#open().isTTY;
  }

  /** Writes a text and waits for backpressure; returns false when the reader has closed the stream. */
  write(text: string): Promise<boolean> {
    return this.#send(shownText(text));
  }

  /** Writes a value as one line of JSON, as `write` does. */
  writeJson(value: unknown): Promise<boolean> {
    return this.writeJsonLines(`${JSON.stringify(value)}\n`);
  }

  /** Writes lines of JSON, as `write` does; their values stay the same. */
  writeJsonLines(lines: string): Promise<boolean> {
    return this.#send(safeJson(lines.replaceAll(/[^\n]+/g, line => redactor?.json(line) ?? line)));
  }

  /** Writes bytes: exactly these to a file or a pipe, a safe text to a terminal. */
  writeBytes(bytes: Uint8Array): Promise<boolean> {
    return this.isTerminal ? this.write(new TextDecoder().decode(bytes)) : this.#send(bytes);
  }

  /** Replaces the current line of a terminal by a text. */
  redraw(text: string): void {
    void this.#send(`\r${shownText(text)}\u001b[K`);
  }

  /** Asks for attention. */
  bell(): void {
    void this.#send('\u0007');
  }

  /** Returns the line that a person enters; undefined when the input ended. Rejects when the signal aborts. */
  async ask(prompt: string, { signal, onInterrupt }: AskOptions = {}): Promise<string | undefined> {
    const lines = createInterface({ input: process.stdin, output: this.#open() });
    if (onInterrupt !== undefined) lines.on('SIGINT', onInterrupt);
    const closed = new Promise<undefined>(resolve => lines.once('close', () => resolve(undefined)));
    try {
      return await Promise.race([lines.question(safeText(prompt), signal === undefined ? {} : { signal }), closed]);
    } finally {
      lines.close();
    }
  }

  /** Lets a reader that closes early (`| head`) end the output quietly. */
  ignoreClosedReader(): void {
    this.#open().on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }

  async #send(data: string | Uint8Array): Promise<boolean> {
    const stream = this.#open();
    if (stream.destroyed || stream.errored !== null) return false;
    if (!stream.write(data))
      await (this.#drained ??= Promise.race([once(stream, 'drain'), once(stream, 'close')])
        .catch(() => {})
        .finally(() => (this.#drained = undefined)));
    return stream.errored === null;
  }
}

export const standardOutput = new StandardStream(() => process.stdout);
export const standardError = new StandardStream(() => process.stderr);

/** Prints a sentence of this program on standard error. */
export function printNotice(text: string): void {
  void standardError.write(`singletree: ${text}\n`);
}
