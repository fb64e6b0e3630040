import { describe, expect, it } from 'vitest';
import type { ActionName } from '../keys/actions.ts';
import type { Row } from '../rows/row.ts';
import { span } from '../screen/styled-line.ts';
import { type ShownRows, Viewer } from './viewer.ts';

const size = { columns: 60, rows: 6 };
const row = (number: number): Row => ({
  id: `r${number}`,
  kind: number % 5 === 0 ? 'user' : 'text',
  messageId: '',
  isContinued: true,
  lines: () => [[span(`row ${number}`)]],
  whole: () => [[span(`row ${number}`)], [span(`all of ${number}`)]],
});
const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => row(from + at));
const part = (from: number, to: number, more: Partial<ShownRows> = {}): ShownRows => ({
  rows: rows(from, to),
  hasEarlier: from > 0,
  hasLater: to < 99,
  ...more,
});
const viewerOf = (shown: ShownRows) => new Viewer(shown, size, { inks: 'none', hasLinks: false });

/** The visible lines without the status line. */
function screen(viewer: Viewer): string[] {
  // oxlint-disable-next-line no-control-regex
  const lines = viewer.frame().split(/\u001b\[\d+;1H/);
  // oxlint-disable-next-line no-control-regex
  return lines.slice(1, -1).map(line => line.replaceAll(/\u001b\[[?\d;]*[a-zA-Z]/g, ''));
}

describe('the viewer', () => {
  it('shows the end first, and asks for earlier rows when it needs them', () => {
    const viewer = viewerOf(part(90, 99));
    expect(screen(viewer)).toEqual(['row 95', 'row 96', 'row 97', 'row 98', 'row 99']);
    expect(viewer.act('viewer.page-up')).toBeUndefined();
    expect(screen(viewer)[0]).toBe('row 91');
    expect(viewer.act('viewer.page-up')).toBe('earlier');
    viewer.show(part(80, 99));
    expect(screen(viewer)[0]).toBe('row 91');
    expect(viewer.act('viewer.page-up')).toBeUndefined();
    expect(screen(viewer)[0]).toBe('row 87');
  });

  it.each<[ActionName, string]>([
    ['viewer.top', 'start'],
    ['viewer.bottom', 'end'],
  ])('asks for the rows of %s, and goes there when they are shown', (action, missing) => {
    const viewer = viewerOf(part(40, 60));
    expect(viewer.act(action)).toBe(missing);
    viewer.show(missing === 'start' ? part(0, 20) : part(80, 99));
    expect(viewer.act(action)).toBeUndefined();
    expect(screen(viewer)).toContain(missing === 'start' ? 'row 0' : 'row 99');
  });

  it('keeps its place when rows are added or dropped at either end, and follows new ones at the end', () => {
    const viewer = viewerOf(part(40, 60));
    viewer.act('viewer.page-up');
    const before = screen(viewer);
    viewer.show(part(20, 60));
    expect(screen(viewer)).toEqual(before);
    viewer.show(part(30, 90));
    expect(screen(viewer)).toEqual(before);
    const atEnd = viewerOf(part(90, 98, { hasLater: false }));
    atEnd.show(part(90, 99));
    expect(screen(atEnd).at(-1)).toBe('row 99');
  });

  it('searches what is shown, then asks for a match elsewhere, and reports what is nowhere', () => {
    const viewer = viewerOf(part(40, 60));
    viewer.act('viewer.search');
    viewer.type('row 45');
    viewer.isTyping = false;
    expect(viewer.act('viewer.next')).toBe('match-after');
    expect(viewer.act('viewer.previous')).toBeUndefined();
    expect(screen(viewer)[0]).toBe('row 45');
    const whole = viewerOf(part(0, 99));
    whole.act('viewer.search');
    whole.type('no such row');
    whole.isTyping = false;
    expect(whole.act('viewer.next')).toBeUndefined();
    expect(whole.frame()).toContain('not found: no such row');
  });

  it('jumps by message, and unfolds a row that stays unfolded when other rows are shown', () => {
    const viewer = viewerOf(part(41, 60));
    viewer.act('viewer.message-up');
    expect(screen(viewer)[0]).toBe('row 55');
    for (const message of [50, 45]) {
      viewer.act('viewer.message-up');
      expect(screen(viewer)[0]).toBe(`row ${message}`);
    }
    expect(viewer.act('viewer.message-up')).toBe('earlier');
    viewer.act('viewer.fold');
    expect(screen(viewer).slice(0, 3)).toEqual(['row 45', 'all of 45', 'row 46']);
    viewer.show(part(30, 60));
    expect(screen(viewer).slice(0, 3)).toEqual(['row 45', 'all of 45', 'row 46']);
  });
});
