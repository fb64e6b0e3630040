import { type Line, span } from '../screen/styled-line.ts';
import { rowText } from '../../events/terminal-text.ts';
import { lineWidth, textWidth } from '../screen/text-width.ts';
import { cutLine } from '../screen/wrap-line.ts';
import { type ListPicker, markedEntry, type PickerEntry, shownEntries } from './list-picker.ts';

/** The size of the place in which a list is shown. */
export interface PickerSize {
  readonly width: number;
  readonly height: number;
}

const fewestEntries = 1;
/** In a wider window the details would be far from what they are about. */
const mostWidth = 100;

/** Draws a list: title with filter, the entries around the mark under their headings, preview, hint. */
export function pickerLines(picker: ListPicker, size: PickerSize): readonly Line[] {
  const [width, height] = [Math.min(size.width, mostWidth), size.height];
  const shown = shownEntries(picker).map(({ entry }) => entry);
  const preview = previewLines(picker, Math.max(0, Math.floor((height - 3) / 2)));
  const hint: Line[] = picker.hint !== '' && height > 3 ? [[span(rowText(picker.hint), 'dim')]] : [];
  const room = Math.max(fewestEntries, height - 1 - hint.length - preview.length);
  const lines = [
    titleLine(picker, shown.length),
    ...entryLines(picker, shown, { width, height: room }),
    ...preview,
    ...hint,
  ];
  return lines.slice(0, Math.max(1, height)).map(line => cutLine(line, width));
}

/** Returns how many entries a page has. */
export function pageSize(height: number): number {
  return Math.max(1, height - 3);
}

function titleLine({ title, query, entries }: ListPicker, count: number): Line {
  const filter =
    query === '' ? [] : [span(' › ', 'dim'), span(rowText(query)), span(` ${count} of ${entries.length}`, 'dim')];
  return [span(title, 'bold'), ...filter];
}

function entryLines(picker: ListPicker, shown: readonly PickerEntry[], { width, height }: PickerSize): readonly Line[] {
  if (shown.length === 0) return [[span(`  ${picker.empty}`, 'dim')]];
  // Headings are texts; only the lines that fit are drawn.
  const lines: (PickerEntry | string)[] = [];
  const hasGroups = picker.query.trim() === '';
  for (const [index, entry] of shown.entries()) {
    if (hasGroups && entry.group !== undefined && entry.group !== shown[index - 1]?.group)
      lines.push(`── ${entry.group} `);
    lines.push(entry);
  }
  const isMarked = (line: PickerEntry | string) => typeof line === 'object' && line.id === picker.marked;
  const first = Math.max(0, Math.min(lines.findIndex(isMarked) - Math.floor(height / 2), lines.length - height));
  return lines
    .slice(first, first + height)
    .map(line => (typeof line === 'string' ? [span(line, 'dim')] : entryLine(line, isMarked(line), width)));
}

function entryLine({ label, detail = '' }: PickerEntry, isMarked: boolean, width: number): Line {
  const mark = isMarked ? '› ' : '  ';
  const text = rowText(label.replaceAll(/\s*\n\s*/g, ' ')) || '(no text)';
  const right = rowText(detail);
  const space = width - 2 - textWidth(right) - 2;
  const left = cutLine(
    [span(text, ...(isMarked ? (['bold'] as const) : []))],
    right === '' || space < 10 ? width - 2 : space,
  );
  if (right === '' || space < 10) return [span(mark, 'cyan'), ...left];
  return [span(mark, 'cyan'), ...left, span(' '.repeat(Math.max(1, space - lineWidth(left) + 2))), span(right, 'dim')];
}

function previewLines(picker: ListPicker, most: number): readonly Line[] {
  if (!picker.showsPreview) return [];
  const preview = markedEntry(picker)?.preview ?? [];
  return preview.slice(0, most).map(text => [span('│ ', 'dim'), span(rowText(text))]);
}
