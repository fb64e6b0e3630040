import { writeSync } from 'node:fs';
import type { ScreenSize } from '../screen/inline-renderer.ts';

const escape = '\u001b[';
/** Bracketed paste, reports of focus, and keys with their modifiers (kitty protocol, else modifyOtherKeys). */
const enterModes = `${escape}?2004h${escape}?1004h${escape}>1u${escape}>4;1m`;
const leaveModes = `${escape}>4;0m${escape}<u${escape}?1004l${escape}?2004l${escape}?7h${escape}?25h${escape}?2026l`;
const enterAlternate = `${escape}?1049h`;
const leaveAlternate = `${escape}?1049l`;

/** The user's terminal. Restores its modes on leaving it, however the process ends. */
export class TerminalIo {
  readonly #input = process.stdin;
  readonly #output = process.stdout;
  #isEntered = false;
  #isAlternate = false;
  #isBlocked = false;
  #onData: (bytes: Uint8Array) => void = () => {};
  readonly #forward = (bytes: Uint8Array) => this.#onData(bytes);
  readonly #restore = () => this.#leaveAtOnce();

  get size(): ScreenSize {
    const { columns, rows } = this.#output;
    // A terminal that has no size reports 0.
    return { columns: columns || 80, rows: rows || 24 };
  }

  /** Whether earlier bytes still wait for the terminal: a frame now would only make it later. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Reads keys as bytes from now on; the listener of before stays when none is given. */
  enter(onData: (bytes: Uint8Array) => void = this.#onData): void {
    this.#onData = onData;
    if (this.#isEntered) return;
    this.#isEntered = true;
    this.#input.setRawMode(true);
    this.#input.on('data', this.#forward);
    this.#input.resume();
    process.on('exit', this.#restore);
    this.write(enterModes);
  }

  /** Returns the terminal to the state in which it was found. */
  leave(): void {
    if (!this.#isEntered) return;
    this.alternate(false);
    this.write(leaveModes);
    this.#isEntered = false;
    process.off('exit', this.#restore);
    this.#input.off('data', this.#forward);
    this.#input.pause();
    this.#input.setRawMode(false);
  }

  /** Switches to the alternate screen or back. */
  alternate(isOn: boolean): void {
    if (isOn === this.#isAlternate) return;
    this.#isAlternate = isOn;
    this.write(isOn ? enterAlternate : leaveAlternate);
  }

  /** Writes bytes; `onDrain` is called when the terminal has taken them, if it could not at once. */
  write(bytes: string, onDrain?: () => void): void {
    if (bytes === '') return;
    if (this.#output.write(bytes)) return;
    this.#isBlocked = true;
    this.#output.once('drain', () => {
      this.#isBlocked = false;
      onDrain?.();
    });
  }

  onResize(listener: () => void): () => void {
    this.#output.on('resize', listener);
    return () => this.#output.off('resize', listener);
  }

  /** Asks for attention: a bell. */
  bell(): void {
    this.write('\u0007');
  }

  #leaveAtOnce(): void {
    try {
      writeSync(1, (this.#isAlternate ? leaveAlternate : '') + leaveModes);
      this.#input.setRawMode(false);
    } catch {
      // The terminal is gone, so nothing can be restored.
    }
  }
}
