import { readFileSync } from 'node:fs';
import { type IPty, spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { expect } from 'vitest';

/** A piece of a row with one style. */
export interface StyledText {
  readonly column: number;
  readonly text: string;
  readonly colour: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
}

export type ScreenRows = readonly (readonly StyledText[])[];

/** A screen, and for how long it is shown, in milliseconds. */
export interface RecordedFrame {
  readonly rows: ScreenRows;
  readonly caption: string;
  ms: number;
}

const palette = ['#1c2128', '#f47067', '#57ab5a', '#c69026', '#539bf5', '#b083f0', '#39c5cf', '#cdd9e5'];
const ink = '#cdd9e5';

/** A program at a terminal whose screens are recorded; what it shows does not depend on how fast this machine is. */
export class ScreenRecorder {
  readonly frames: RecordedFrame[] = [];
  readonly columns: number;
  caption = '';
  readonly #screen: InstanceType<typeof headless.Terminal>;
  readonly #pty: IPty;

  constructor(
    line: readonly [string, ...string[]],
    place: { readonly cwd: string; readonly env: Record<string, string>; readonly size: readonly [number, number] },
  ) {
    const [cols, rows] = place.size;
    this.columns = cols;
    this.#screen = new headless.Terminal({ cols, rows, allowProposedApi: true });
    const [file, ...args] = line;
    this.#pty = spawn(file, args, { cols, rows, cwd: place.cwd, env: place.env, name: 'xterm-256color' });
    this.#pty.onData(data => this.#screen.write(data));
  }

  /** The visible text. */
  text(): string {
    const { active } = this.#screen.buffer;
    return Array.from(
      { length: this.#screen.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '',
    ).join('\n');
  }

  /** Waits until the screen shows a text, and records it for that long. */
  async shows(expected: string | RegExp, ms: number): Promise<void> {
    const shown = typeof expected === 'string' ? expect.stringContaining(expected) : expect.stringMatching(expected);
    await expect.poll(() => this.text().trimEnd(), { timeout: 30_000, interval: 20 }).toEqual(shown);
    this.record(ms);
  }

  /** Types a text as a person does, and records it; nothing is entered. */
  async types(text: string): Promise<void> {
    for (let end = 4; end < text.length + 4; end += 4) {
      this.#pty.write(text.slice(end - 4, end));
      await this.shows(text.slice(0, end).trimEnd(), 90);
    }
  }

  press(keys: string): void {
    this.#pty.write(keys);
  }

  /** Ends the program that the shell runs, as `kill -9` does. */
  killChild(): void {
    const { pid } = this.#pty;
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    process.kill(Number(child), 'SIGKILL');
  }

  record(ms: number): void {
    this.frames.push({ rows: this.rows(), caption: this.caption, ms });
  }

  rows(): ScreenRows {
    const { active } = this.#screen.buffer;
    return Array.from({ length: this.#screen.rows }, (_, row) => {
      const line = active.getLine(active.viewportY + row);
      const pieces: StyledText[] = [];
      for (let column = 0; column < this.columns; column++) {
        const cell = line?.getCell(column);
        const text = cell?.getChars() || ' ';
        if (cell === undefined || cell.getWidth() === 0) continue;
        const colour = cell.isFgPalette() ? (palette[cell.getFgColor() % 8] ?? ink) : ink;
        const style = { colour, isBold: cell.isBold() > 0, isDim: cell.isDim() > 0, isItalic: cell.isItalic() > 0 };
        const last = pieces.at(-1);
        const isSame =
          last !== undefined && text !== ' ' && JSON.stringify({ ...last, ...style }) === JSON.stringify(last);
        if (last !== undefined && (isSame || text === ' '))
          pieces[pieces.length - 1] = { ...last, text: last.text + text };
        else if (text !== ' ') pieces.push({ column, text, ...style });
      }
      return pieces.map(piece => ({ ...piece, text: piece.text.trimEnd() }));
    });
  }

  close(): void {
    this.#pty.kill('SIGKILL');
  }
}
