import headless from '@xterm/headless';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frame, InlineRenderer, mostLiveRows } from './inline-renderer.ts';
import { type Line, span, textOfLine } from './styled-line.ts';
import { wrapLine } from './text-width.ts';

const line = (text: string): Line => [span(text)];

/** A terminal that is given frames, and what it holds. */
class Screen {
  readonly renderer: InlineRenderer;
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly frames: string[] = [];

  constructor(cols: number, rows: number) {
    this.renderer = new InlineRenderer({ columns: cols, rows }, 'colour');
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

  get cursor(): { readonly row: number; readonly column: number } {
    const { active } = this.#terminal.buffer;
    return { row: active.baseY + active.cursorY, column: active.cursorX };
  }
}

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

  it('holds what a reference screen holds, whatever frames come', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '界', 'é', '🎉', '1'), maxLength: 45 });
    const frame = fc.record({
      printed: fc.array(text.map(line), { maxLength: 4 }),
      live: fc.array(text.map(line), { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 12 }), async frames => {
        const screen = new Screen(20, 8);
        const printed: string[] = [];
        let live: readonly Line[] = [];
        for (const each of frames) {
          await screen.show(each);
          printed.push(...each.printed.flatMap(row => wrapLine(row, 20).map(textOfLine)));
          live = each.live.slice(0, mostLiveRows({ columns: 20, rows: 8 }));
        }
        // A wide picture is not shown alike by all terminals: the printed lines are compared without their ends.
        const shown = screen.rows.slice(0, printed.length).map(row => row.trimEnd());
        const expected = printed.map(row => row.trimEnd());
        expect(shown.join('').replaceAll(' ', '')).toBe(expected.join('').replaceAll(' ', ''));
        expect(screen.rows.length).toBeLessThanOrEqual(printed.length + live.length);
      }),
      { numRuns: 60 },
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
