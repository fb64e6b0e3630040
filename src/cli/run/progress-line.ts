import type { StandardStream } from '../../control/standard-output.ts';

/** How often a line is written again on a terminal, and added elsewhere, in milliseconds. */
const [terminalMs, fileMs] = [100, 5_000];

/** Shows how far a command is: one line that changes on a terminal; elsewhere a line now and then, none for short work. */
export class ProgressLine {
  readonly #output: StandardStream;
  readonly #now: () => number;
  #shownAt: number;
  #last: string | undefined;

  constructor(output: StandardStream, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
    this.#shownAt = output.isTerminal ? Number.NEGATIVE_INFINITY : now();
  }

  show(text: string): void {
    this.#last = text;
    const now = this.#now();
    if (now - this.#shownAt < (this.#output.isTerminal ? terminalMs : fileMs)) return;
    this.#write();
    this.#shownAt = now;
  }

  /** Shows on a terminal what came last; what is written afterwards begins on a new line. May be called twice. */
  end(): void {
    if (this.#last === undefined || !this.#output.isTerminal) return;
    this.#write();
    void this.#output.write('\n');
    this.#last = undefined;
  }

  #write(): void {
    if (this.#output.isTerminal) this.#output.redraw(this.#last ?? '');
    else void this.#output.write(`${this.#last}\n`);
  }
}
