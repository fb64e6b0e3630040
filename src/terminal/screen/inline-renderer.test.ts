import headless from '@xterm/headless';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lawRuns } from '../../../test/support/run-size.ts';
import { type Frame, InlineRenderer, mostLiveRows } from './inline-renderer.ts';
import { type Line, span, textOfLine } from './styled-line.ts';
import { cutLine, wrapLine } from './wrap-line.ts';

const line = (text: string): Line => [span(text)];

/** A terminal that is given frames, and what it holds. */
class Screen {
  readonly renderer: InlineRenderer;
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly frames: string[] = [];

  constructor(cols: number, rows: number) {
    this.renderer = new InlineRenderer({ columns: cols, rows }, { inks: 'colour', hasLinks: true });
    this.#terminal = new headless.Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true });
  }

  async show(frame: Frame): Promise<void> {
    const bytes = this.renderer.frame(frame);
    this.frames.push(bytes);
    await new Promise<void>(resolve => this.#terminal.write(bytes, resolve));
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.renderer.resize({ columns, rows });
  }

  /** All rows of the terminal without the empty ones at the end. */
  get rows(): string[] {
    const { active } = this.#terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
    return rows.slice(0, rows.findLastIndex(row => row !== '') + 1);
  }

  /** All lines, those that the terminal wrapped joined. */
  get logicalLines(): string[] {
    const { active } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let row = 0; row < active.length; row++) {
      const text = active.getLine(row)?.translateToString() ?? '';
      if (active.getLine(row)?.isWrapped === true) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    return lines.map(text => text.trimEnd());
  }

  get cursor(): { readonly row: number; readonly column: number } {
    const { active } = this.#terminal.buffer;
    return { row: active.baseY + active.cursorY, column: active.cursorX };
  }
}

const shownText = (each: Line) => textOfLine(each).trimEnd();
/** A wide character that does not fit a row leaves a gap at its end. */
const withoutGaps = (text: string) => text.replaceAll(' ', '');

const units = fc.constantFrom('a', 'B', ' ', '界', 'e\u0301', '1');
const anyText = (first: string) => fc.string({ unit: units, maxLength: 45 }).map(rest => first + rest);
const anyLive = (most: number) => fc.array(anyText('l').map(line), { maxLength: most });
/** Printed lines begin with "p" and lines of the live area with "l". */
const anyFrame: fc.Arbitrary<Frame> = fc.record({
  printed: fc.array(anyText('p').map(line), { maxLength: 4 }),
  live: fc.oneof(anyLive(8), anyLive(2)),
  cursor: fc.option(fc.record({ line: fc.nat(7), column: fc.nat(6) }), { nil: undefined }),
});

describe('the inline renderer', () => {
  it('prints finished lines above the live area, which it redraws', async () => {
    const screen = new Screen(20, 6);
    await screen.show({
      printed: [line('one')],
      live: [line('draft'), line('status')],
      cursor: { line: 0, column: 5 },
    });
    expect(screen.rows).toEqual(['one', 'draft', 'status']);
    expect(screen.cursor).toEqual({ row: 1, column: 5 });
    await screen.show({
      printed: [line('two')],
      live: [line('draft!'), line('status')],
      cursor: { line: 0, column: 6 },
    });
    expect(screen.rows).toEqual(['one', 'two', 'draft!', 'status']);
    await screen.show({ printed: [], live: [line('s')] });
    expect(screen.rows).toEqual(['one', 'two', 's']);
  });

  it('holds exactly the printed lines and the live area after every frame, with the cursor in its place', async () => {
    const [columns, rows] = [20, 8];
    await fc.assert(
      fc.asyncProperty(fc.array(anyFrame, { maxLength: 12 }), async frames => {
        const screen = new Screen(columns, rows);
        const printed: string[] = [];
        for (const frame of frames) {
          await screen.show(frame);
          printed.push(...frame.printed.flatMap(each => wrapLine(each, columns)).map(shownText));
          const live = frame.live.slice(0, mostLiveRows({ columns, rows })).map(each => cutLine(each, columns));
          const expected = [...printed, ...live.map(shownText)];
          expect(screen.rows.map(text => text.trimEnd())).toEqual(
            expected.slice(0, expected.findLastIndex(text => text !== '') + 1),
          );
          if (frame.cursor === undefined) continue;
          const line = Math.min(frame.cursor.line, Math.max(0, live.length - 1));
          expect(screen.cursor).toEqual({ row: printed.length + line, column: frame.cursor.column });
        }
      }),
      { numRuns: lawRuns(150) },
    );
  });

  it('keeps every printed line as it is, whatever sizes the window gets between the frames', async () => {
    const size = fc.record({ columns: fc.integer({ min: 8, max: 60 }), rows: fc.integer({ min: 4, max: 20 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(size, anyFrame), { maxLength: 8 }), async steps => {
        const screen = new Screen(20, 8);
        const printed: string[] = [];
        for (const [{ columns, rows }, frame] of steps) {
          screen.resize(columns, rows);
          await screen.show(frame);
          printed.push(...frame.printed.map(shownText));
          const lines = screen.logicalLines.filter(text => !text.startsWith('l'));
          expect(withoutGaps(lines.join(''))).toBe(withoutGaps(printed.join('')));
        }
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it('writes only the lines that changed', async () => {
    const screen = new Screen(80, 24);
    const live = Array.from({ length: 10 }, (_, at) => line(`line ${at} ${'x'.repeat(60)}`));
    await screen.show({ printed: [], live });
    await screen.show({ printed: [], live: live.with(4, line('changed')) });
    expect(screen.frames.at(-1)?.length).toBeLessThan(100);
    await screen.show({ printed: [], live: live.with(4, line('changed')) });
    expect(screen.frames.at(-1)).toBe('');
  });

  it('bounds the bytes of a frame by the size of the window', async () => {
    const screen = new Screen(80, 24);
    await screen.show({ printed: [], live: Array.from({ length: 100 }, () => line('y'.repeat(100_000))) });
    expect(screen.frames[0]?.length).toBeLessThan(22 * 90);
    expect(screen.rows).toHaveLength(22);
  });

  it('keeps what was printed when the window changes its size', async () => {
    const screen = new Screen(40, 10);
    const printed = Array.from({ length: 5 }, (_, at) => line(`printed ${at}`));
    const live = [line('a live line that is long enough'), line('› draft'), line('status')];
    await screen.show({ printed, live, cursor: { line: 1, column: 3 } });
    for (const [columns, rows] of [
      [20, 10],
      [60, 12],
      [30, 8],
    ] as const) {
      screen.resize(columns, rows);
      await screen.show({ printed: [], live, cursor: { line: 1, column: 3 } });
      expect(screen.rows.slice(0, 5)).toEqual(printed.map(textOfLine));
      expect(screen.rows.slice(-2)).toEqual(['› draft', 'status']);
      expect(screen.rows).toHaveLength(8);
    }
  });

  it('never clears the screen or the scrollback', async () => {
    const screen = new Screen(20, 6);
    for (let at = 0; at < 30; at++)
      await screen.show({
        printed: at % 3 === 0 ? [line(`row ${at}`)] : [],
        live: Array.from({ length: at % 5 }, () => line(`live ${at}`)),
      });
    screen.resize(10, 5);
    await screen.show({ printed: [], live: [line('x')] });
    // oxlint-disable-next-line no-control-regex
    expect(screen.frames.join('')).not.toMatch(/\u001b\[(?:[23]J|H|\d+;\d+H)|\u001bc/);
  });
});
