import type { StandardStream } from '../../control/standard-output.ts';

/** The minimum time between updates on a terminal, and between lines elsewhere, in milliseconds. */
const [terminalMs, fileMs] = [100, 5_000];

/** Shows the progress of a command: one updated line on a terminal, else a line at intervals, none for short work. */
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

  /** Shows the final state on a terminal and ends the line. May be called twice. */
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
