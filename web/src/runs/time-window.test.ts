import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inWindow, moved, timeAt, type TimeWindow, wholeTime, zoomed } from './time-window.ts';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const windows = fc
  .tuple(number(0.1, 1000), number(0, 100))
  .map(([factor, around]) => zoomed(wholeTime, factor, around));
const isInside = ({ from, to }: TimeWindow) => from >= 0 && to <= 100.000001 && to - from >= 0.0099;

describe('the window of a timeline', () => {
  it('stays inside the whole, whatever is zoomed and moved', () => {
    fc.assert(
      fc.property(windows, number(0.01, 100), number(0, 100), number(-5, 5), (window, factor, around, part) => {
        expect(isInside(zoomed(window, factor, around))).toBe(true);
        expect(isInside(moved(window, part))).toBe(true);
      }),
    );
  });

  it('keeps the point under the pointer in place', () => {
    const window = zoomed({ from: 20, to: 60 }, 2, 25);
    expect(window).toEqual({ from: 25, to: 45 });
    expect(inWindow(window, 30)).toBe(25);
  });

  it('finds the time of a position', () => {
    const scale = (time: number) => (time - 1000) / 10;
    expect(timeAt(scale, { start: 1000, end: 2000 }, 50)).toBeCloseTo(1500, 0);
    expect(timeAt(scale, { start: 1000, end: 2000 }, 0)).toBe(1000);
  });
});
