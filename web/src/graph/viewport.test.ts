import { describe, expect, it } from 'vitest';
import { askedRect, endView, fitView, reveal, zoomAt } from './viewport.ts';

const screen = { width: 1000, height: 800 };

describe('the viewport of a drawing', () => {
  it('keeps the point under the pointer when it zooms', () => {
    const at = { x: 300, y: 200 };
    const view = { x: 50, y: 60, zoom: 0.5 };
    const next = zoomAt(view, 2, at);
    expect(next.zoom).toBe(1);
    expect(next.x + at.x / next.zoom).toBeCloseTo(view.x + at.x / view.zoom);
    expect(next.y + at.y / next.zoom).toBeCloseTo(view.y + at.y / view.zoom);
  });

  it('fits a drawing, and shows the end of one that does not fit', () => {
    expect(fitView({ width: 500, height: 400 }, screen).zoom).toBe(1);
    const { zoom, y } = endView({ width: 500, height: 100_000 }, screen);
    expect(y + screen.height / zoom).toBeGreaterThan(100_000);
    expect(zoom).toBe(1);
  });

  it('moves only when a box is not in view', () => {
    const view = { x: 0, y: 0, zoom: 1 };
    expect(reveal(view, { x: 10, y: 10, width: 200, height: 40 }, screen)).toBe(view);
    expect(reveal(view, { x: 10, y: 5000, width: 200, height: 40 }, screen).y).toBe(5020 - 400);
  });

  it('asks for more than is visible', () => {
    expect(askedRect({ x: 10, y: 10, zoom: 1 }, screen)).toEqual({ left: -400, top: -400, right: 1600, bottom: 1600 });
  });
});
