import type { ReactNode } from 'react';
import { visibleText } from '../code/visible-text.ts';
import type { DiffLine } from '../../../src/projections/activity/file-diff.ts';

/** A longer line is cut: a browser cannot lay out any amount of text. */
const mostChars = 5_000;

const names = { added: 'ins', removed: 'del', same: undefined } as const;

/** The text of a line, with what differs marked; added and removed lines are named as such for screen readers. */
export function LineText({ line: { kind, text, marks } }: { line: DiffLine }): ReactNode {
  const Kind = names[kind];
  const shown = marks === undefined || marks.length === 0 ? visibleText(cut(text)) : markedText(text, marks);
  return Kind === undefined ? shown : <Kind>{shown}</Kind>;
}

function markedText(text: string, marks: NonNullable<DiffLine['marks']>): ReactNode {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    pieces.push(visibleText(text.slice(at, from)), <mark key={from}>{visibleText(text.slice(from, to))}</mark>);
    at = to;
  }
  return [...pieces, visibleText(text.slice(at))];
}

function cut(text: string): string {
  return text.length <= mostChars ? text : `${text.slice(0, mostChars)} … ${text.length - mostChars} more characters`;
}
