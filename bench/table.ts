import { isMet, ratioOf, type Result } from './result.ts';

const widths = [60, 17, 18, 19, 8, 6, 3];

export const heading: string = line(['claim', 'size', 'ours', 'peer', 'ratio', 'goal', 'ok']);

/** A result as a line of the table. */
export function rowOf(result: Result): string {
  const { claim, size, ours, peer, unit, goal } = result;
  const ratio = ratioOf(result);
  const met = isMet(result);
  return line([
    claim,
    size,
    `${readable(ours)} ${unit}`,
    peer === undefined ? '' : `${readable(peer)} ${unit}`,
    ratio === undefined ? '' : ratio < 0.1 ? `1/${readable(1 / ratio)}` : ratio.toFixed(2),
    goal === undefined ? '' : 'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`,
    met === undefined ? '' : met ? 'yes' : 'NO',
  ]);
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();
}

function readable(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : 2 });
}
