import type { Completion } from '../../projections/completion/completion.ts';
import { type Line, type Span, span } from '../screen/styled-line.ts';
import { rowText } from '../../events/terminal-text.ts';
import { textWidth } from '../screen/text-width.ts';
import { cutLine } from '../screen/wrap-line.ts';

const mostShown = 8;

/** Draws the completions around the mark, with what matched in bold; at most eight. */
export function completionLines({ items, index }: Completion, width: number): readonly Line[] {
  const first = Math.max(0, Math.min(index - Math.floor(mostShown / 2), items.length - mostShown));
  const shown = items.slice(first, first + mostShown);
  const widest = Math.min(Math.floor(width / 2), Math.max(...shown.map(({ label }) => textWidth(rowText(label)))));
  return shown.map(({ label, positions, detail }, at) => {
    const isMarked = first + at === index;
    const text = rowText(label);
    const matched = text === label ? matchedSpans(text, new Set(positions)) : [span(text)];
    const gap = ' '.repeat(Math.max(2, widest - textWidth(text) + 2));
    return cutLine(
      [
        span(isMarked ? '› ' : '  ', 'cyan'),
        ...(isMarked ? [span(text, 'bold')] : matched),
        ...(detail === undefined ? [] : [span(gap + rowText(detail), 'dim')]),
      ],
      width,
    );
  });
}

function matchedSpans(text: string, positions: ReadonlySet<number>): readonly Span[] {
  const spans: { text: string; isMatch: boolean }[] = [];
  for (const [at, character] of text.split('').entries()) {
    const isMatch = positions.has(at);
    const last = spans.at(-1);
    if (last?.isMatch === isMatch) last.text += character;
    else spans.push({ text: character, isMatch });
  }
  return spans.map(({ text: part, isMatch }) => (isMatch ? span(part, 'underline') : span(part)));
}
