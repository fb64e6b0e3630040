import type { DiffLine } from '../../../src/projections/activity/file-diff.ts';

/** One row of a diff side by side. */
export interface DiffRow {
  readonly left?: DiffLine;
  readonly right?: DiffLine;
}

/** Returns the rows of a side-by-side diff: pairs removed lines with the added lines that follow them. */
export function toRows(lines: readonly DiffLine[]): DiffRow[] {
  const rows: DiffRow[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as DiffLine;
    if (line.kind === 'same') {
      rows.push({ left: line, right: line });
      at++;
      continue;
    }
    const [left, right]: [DiffLine[], DiffLine[]] = [[], []];
    for (let each = line; each?.kind === 'removed'; each = lines[++at] as DiffLine) left.push(each);
    for (let each = lines[at]; each?.kind === 'added'; each = lines[++at]) right.push(each);
    for (let row = 0; row < Math.max(left.length, right.length); row++)
      rows.push({ ...(left[row] && { left: left[row] }), ...(right[row] && { right: right[row] }) });
  }
  return rows;
}
