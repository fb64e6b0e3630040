import type { RecordedFrame, ScreenRows, StyledText } from './screen-recorder.ts';

const [cellWidth, rowHeight, padding, titleHeight] = [8.4, 19, 16, 34];

/** Draws screens as one SVG: a still picture of one, or an animation of several that repeats. */
export function terminalSvg(frames: readonly RecordedFrame[], columns: number): string {
  const rows = frames[0]?.rows.length ?? 0;
  const [width, height] = [columns * cellWidth + 2 * padding, rows * rowHeight + 2 * padding + titleHeight];
  const lines = new Map<string, string>();
  const bodies = frames.map(({ rows: shown, caption }, at) => frameBody(shown, caption, width, lines, at));
  const drawn = [...lines].map(([text, id]) => `<g id="${id}">${text}</g>`).join('\n');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${height}" width="${round(width)}" height="${height}">`,
    '<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}' +
      `.b{font-weight:700}.d{opacity:.65}.i{font-style:italic}.c{fill:#768390}${animation(frames)}</style>`,
    `<rect width="100%" height="100%" rx="10" fill="#1c2128"/>`,
    ['#f47067', '#c69026', '#57ab5a']
      .map((fill, at) => `<circle cx="${20 + at * 18}" cy="18" r="5.5" fill="${fill}"/>`)
      .join(''),
    `<defs>${drawn}</defs>`,
    ...bodies,
    '</svg>',
    '',
  ].join('\n');
}

/** One frame; rows that occur in several frames are drawn once. */
function frameBody(rows: ScreenRows, caption: string, width: number, lines: Map<string, string>, at: number): string {
  const uses = rows.flatMap((row, index) => {
    if (row.length === 0) return [];
    const text = row.map(pieceSvg).join('');
    const id = lines.get(text) ?? `l${lines.size}`;
    lines.set(text, id);
    return `<use href="#${id}" x="${padding}" y="${padding + titleHeight + (index + 0.75) * rowHeight}"/>`;
  });
  const title = `<text class="c" x="${round(width / 2)}" y="23" text-anchor="middle">${escape(caption)}</text>`;
  return `<g class="f f${at}">${title}${uses.join('')}</g>`;
}

function pieceSvg({ column, text, colour, isBold, isDim, isItalic }: StyledText): string {
  const classes = [isBold && 'b', isDim && 'd', isItalic && 'i'].filter(name => name !== false).join(' ');
  const length = round(text.length * cellWidth);
  return `<text x="${round(column * cellWidth)}" fill="${colour}"${classes === '' ? '' : ` class="${classes}"`} textLength="${length}">${escape(text)}</text>`;
}

/** Shows each frame for its time, one after the other. */
function animation(frames: readonly RecordedFrame[]): string {
  if (frames.length < 2) return '';
  const whole = frames.reduce((sum, { ms }) => sum + ms, 0);
  let from = 0;
  const rules = frames.map(({ ms }, at) => {
    const [begin, end] = [(100 * from) / whole, (100 * (from + ms)) / whole];
    from += ms;
    const before = at === 0 ? '' : `0%{visibility:hidden}`;
    const after = at === frames.length - 1 ? '' : `${round(end)}%,100%{visibility:hidden}`;
    return `@keyframes k${at}{${before}${round(begin)}%{visibility:visible}${after}}.f${at}{animation:k${at} ${whole}ms step-end infinite}`;
  });
  return `.f{visibility:hidden}${rules.join('')}`;
}

function round(number: number): number {
  return Math.round(number * 1000) / 1000;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
