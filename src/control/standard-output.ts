import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import type { Redactor } from '../agents/redaction/redactor.ts';
import { safeJson, safeText } from '../base/terminal-text.ts';

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

/** Returns a copy of a value in which the hidden secrets are replaced. */
export function withoutSecrets<Value>(value: Value): Value {
  return redactor === undefined || redactor.isEmpty
    ? value
    : (JSON.parse(redactor.json(JSON.stringify(value))) as Value);
}

function shownText(text: string): string {
  return safeText(redactor?.text(text) ?? text);
}

/**
 * Standard output or standard error: nothing but this and the screen of the terminal writes there. A text is made safe for
 * a terminal; the only control characters that reach one are the styles of `writeDrawn`, and those of `redraw` and `bell`.
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

  /** The width of the terminal; 80 without a terminal. */
  get columns(): number {
    return this.#open().columns || 80;
  }

  /**
   * Writes the output of the terminal's renderer, as `write` does, but keeps its styles: its texts are already safe and
   * redacted.
   */
  writeDrawn(text: string): Promise<boolean> {
    return this.#send(text);
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
    // It repeats the errors of its input, as that of a closed terminal.
    lines.on('error', () => {});
    if (onInterrupt !== undefined) lines.on('SIGINT', onInterrupt);
    const closed = new Promise<undefined>(resolve => lines.once('close', () => resolve(undefined)));
    try {
      return await Promise.race([lines.question(safeText(prompt), signal === undefined ? {} : { signal }), closed]);
    } finally {
      lines.close();
    }
  }

  async #send(data: string | Uint8Array): Promise<boolean> {
    const stream = this.#open();
    if (stream.destroyed || stream.errored !== null) return false;
    if (!stream.write(data))
      // A stream that failed is reported by its own error.
      await (this.#drained ??= Promise.race([once(stream, 'drain'), once(stream, 'close')])
        .catch(() => {})
        .finally(() => (this.#drained = undefined)));
    return stream.errored === null;
  }
}

export const standardOutput = new StandardStream(() => process.stdout);
export const standardError = new StandardStream(() => process.stderr);

/**
 * Handles output streams that the other side closes: a reader that closes early (`| head`) ends the output silently; a
 * closed terminal counts as SIGHUP and ends the process with that signal.
 */
export function handleClosedStreams(): void {
  const terminals = [0, 1, 2].filter(descriptor => isatty(descriptor));
  let isClosed = false;
  const failed = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    if (error.code !== 'EIO') throw error;
    if (isClosed) return;
    isClosed = true;
    if (!process.emit('SIGHUP', 'SIGHUP')) process.exit(129);
  };
  process.stdout.on('error', failed);
  if (terminals.includes(0)) process.stdin.on('error', failed);
  if (terminals.includes(2)) process.stderr.on('error', failed);
  process.on('exit', () => {
    if (terminals.every(descriptor => isatty(descriptor))) return;
    // Node aborts when it restores the modes of a terminal that is gone; a signal ends it before.
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  });
}

/** Prints a sentence of this program on standard error. */
export function printNotice(text: string): void {
  void standardError.write(`singletree: ${text}\n`);
}
