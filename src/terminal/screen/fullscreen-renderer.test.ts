import headless from '@xterm/headless';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FullscreenRenderer } from './fullscreen-renderer.ts';
import { type Line, span, textOfLine } from './styled-line.ts';
import { cutLine, wrapLine } from './wrap-line.ts';

const lines = fc.array(
  fc.string({ unit: fc.constantFrom('a', ' ', '界'), maxLength: 30 }).map((text): Line => [span(`x${text}`)]),
  { maxLength: 14 },
);

describe('the full screen', () => {
  it('has as much of what was printed as fits above the live area, from the first row on', async () => {
    const [columns, rows] = [10, 12];
    await fc.assert(
      fc.asyncProperty(lines, lines, lines, async (before, printed, live) => {
        const renderer = new FullscreenRenderer({ columns, rows }, { inks: 'none', hasLinks: false }, before);
        const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
        await new Promise<void>(resolve => terminal.write(renderer.frame({ printed, live }), resolve));
        const shown = Array.from(
          { length: rows },
          (_, row) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? '',
        );
        const bottom = live.slice(0, rows).map(line => cutLine(line, columns));
        const above = [...before, ...printed].flatMap(line => wrapLine(line, columns));
        const top = bottom.length === rows ? [] : above.slice(bottom.length - rows);
        const expected = [...top, ...bottom].map(line => textOfLine(line).trimEnd());
        expect(shown.map(row => row.trimEnd())).toEqual([...expected, ...Array(rows).fill('')].slice(0, rows));
      }),
      { numRuns: 50 },
    );
  });
});
