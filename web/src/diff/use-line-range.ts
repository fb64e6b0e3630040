import { type FocusEvent, type KeyboardEvent, type PointerEvent, useState } from 'react';
import type { DiffLine } from '../../../src/projections/activity/file-diff.ts';

/**
 * Calls back with the lines of a diff that a person clicked or dragged over at their numbers, or chose by keyboard: the
 * arrow keys move from row to row, with Shift they extend the choice, Enter takes it.
 */
export function useLineRange(lines: readonly DiffLine[], onChosen: ((lines: readonly DiffLine[]) => void) | undefined) {
  const [range, setRange] = useState<readonly [number, number]>();
  const lineAt = ({ target }: PointerEvent) => {
    const row = target instanceof Element ? target.closest('[data-gutter]') : null;
    return row === null ? undefined : Number(row.getAttribute('data-gutter'));
  };
  const between = ([a, b]: readonly [number, number]) => [Math.min(a, b), Math.max(a, b)] as const;
  const isChosen = (index: number) => {
    const [from, to] = range === undefined ? [1, 0] : between(range);
    return index >= from && index <= to;
  };
  if (onChosen === undefined) return { isChosen, handlers: {} };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      const at = lineAt(event);
      if (at === undefined) return;
      event.preventDefault();
      // A touch is bound to where it began; only then can it be dragged over other lines.
      if (event.target instanceof Element) event.target.releasePointerCapture?.(event.pointerId);
      setRange([at, at]);
    },
    onPointerOver: (event: PointerEvent) => {
      const at = lineAt(event);
      if (range !== undefined && at !== undefined) setRange([range[0], at]);
    },
    onPointerUp: () => {
      if (range === undefined) return;
      const [from, to] = between(range);
      setRange(undefined);
      onChosen(lines.slice(from, to + 1));
    },
    onPointerLeave: () => setRange(undefined),
    onKeyDown: (event: KeyboardEvent) => {
      const row = event.target instanceof HTMLTableRowElement ? event.target : undefined;
      const at = row && readLines(row);
      if (row === undefined || at === undefined) return;
      if (event.key === 'Enter') {
        event.preventDefault();
        const [from, to] = between(range ?? at);
        onChosen(lines.slice(from, to + 1));
      }
      const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
      if (!(next instanceof HTMLTableRowElement)) return;
      event.preventDefault();
      const [from, to] = between(readLines(next) ?? at);
      if (event.shiftKey) setRange([range?.[0] ?? at[0], event.key === 'ArrowDown' ? to : from]);
      else setRange([from, to]);
      next.focus();
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) setRange(undefined);
    },
  };
  return { isChosen, handlers };
}

/** The first and the last line that a row shows. */
function readLines(row: HTMLTableRowElement): readonly [number, number] | undefined {
  const shown = [...row.querySelectorAll('[data-gutter]')].map(cell => Number(cell.getAttribute('data-gutter')));
  return shown.length === 0 ? undefined : [Math.min(...shown), Math.max(...shown)];
}
