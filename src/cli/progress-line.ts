/** How often a line is written again on a terminal, and added elsewhere, in milliseconds. */
const [terminalMs, fileMs] = [100, 5_000];

/** Shows how far a command is: one line that changes on a terminal, a line now and then elsewhere. */
export class ProgressLine {
  readonly #output: NodeJS.WriteStream;
  #shownAt = Number.NEGATIVE_INFINITY;
  #last: string | undefined;

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  show(text: string): void {
    this.#last = text;
    const now = performance.now();
    if (now - this.#shownAt < (this.#output.isTTY ? terminalMs : fileMs)) return;
    this.#write();
    this.#shownAt = now;
  }

  /** Shows what came last; what is written afterwards begins on a new line. May be called twice. */
  end(): void {
    if (this.#last === undefined) return;
    this.#write();
    if (this.#output.isTTY) this.#output.write('\n');
    this.#last = undefined;
  }

  #write(): void {
    this.#output.write(this.#output.isTTY ? `\r${this.#last}\u001b[K` : `${this.#last}\n`);
  }
}
