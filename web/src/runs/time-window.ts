/** The visible part of a timeline, in percent of the whole. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** The whole timeline. */
export const wholeTime: TimeWindow = { from: 0, to: 100 };

/** The smallest part that can be in view. */
const least = 0.01;

/** Returns the window enlarged by a factor; the point at `around`, in percent of the window, stays where it is. */
export function zoomed({ from, to }: TimeWindow, factor: number, around = 50): TimeWindow {
  const size = Math.min(100, Math.max(least, (to - from) / factor));
  const point = from + ((to - from) * around) / 100;
  return inside(point - (size * around) / 100, size);
}

/** Returns the window moved by a part of its size. */
export function moved({ from, to }: TimeWindow, part: number): TimeWindow {
  return inside(from + (to - from) * part, to - from);
}

/** Converts a position on the whole timeline to percent of the window. */
export function inWindow({ from, to }: TimeWindow, position: number): number {
  return ((position - from) / (to - from)) * 100;
}

/** Returns the time at a position, by a scale that never goes back. */
export function timeAt(
  scale: (time: number) => number,
  { start, end }: { readonly start: number; readonly end: number },
  position: number,
): number {
  let [low, high] = [start, end];
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    if (scale(middle) < position) low = middle;
    else high = middle;
  }
  return position <= 0 ? start : high;
}

function inside(from: number, size: number): TimeWindow {
  const start = Math.min(100 - size, Math.max(0, from));
  return { from: start, to: start + size };
}
