import { type Ranked, ranked } from '../../projections/completion/ranked.ts';

/** One entry of a list. */
export interface PickerEntry {
  readonly id: string;
  readonly label: string;
  /** Shown to the right of the label. */
  readonly detail?: string;
  /** The heading under which it is listed. */
  readonly group?: string;
  /** More text that the filter finds it by. */
  readonly keywords?: string;
  /** Shown below the list for the marked entry. */
  readonly preview?: readonly string[];
}

/** A list of which a person chooses one entry. It never changes: each change is a new state. */
export interface ListPicker {
  readonly title: string;
  readonly entries: readonly PickerEntry[];
  /** What the entries are filtered by. */
  readonly query: string;
  /** The id of the marked entry. */
  readonly marked: string | undefined;
  readonly showsPreview: boolean;
  /** Keys that apply to the marked entry, for the line at the end. */
  readonly hint: string;
  /** What is shown when no entry matches. */
  readonly empty: string;
}

/** The keys of a list. */
export type ListMove = 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last';

/** Opens a list; the first entry is marked unless another one is named. */
export function openPicker(
  list: Pick<ListPicker, 'title' | 'entries'> &
    Partial<Pick<ListPicker, 'query' | 'marked' | 'hint' | 'empty' | 'showsPreview'>>,
): ListPicker {
  const picker = { query: '', hint: '', empty: 'nothing matches', marked: undefined, showsPreview: false, ...list };
  return remark(picker);
}

/** Returns the entries that match: in their order and groups without a filter, else the best first. */
export function shownEntries({ entries, query }: ListPicker): readonly Ranked<PickerEntry>[] {
  if (query.trim() === '') return entries.map(entry => ({ entry, positions: [] }));
  const words = query.trim().split(/\s+/);
  const shown = words.reduce<readonly PickerEntry[]>(matching, entries);
  return shown.map(entry => ({ entry, positions: [] }));
}

/** The entries whose label matches a word, the best first; then those that contain it elsewhere. */
function matching(entries: readonly PickerEntry[], word: string): readonly PickerEntry[] {
  const byLabel = ranked(entries, word, { textOf: ({ label }) => label, limit: entries.length }).map(
    ({ entry }) => entry,
  );
  const found = new Set(byLabel);
  const lower = word.toLowerCase();
  const contains = ({ detail = '', keywords = '' }: PickerEntry) =>
    `${detail} ${keywords}`.toLowerCase().includes(lower);
  return [...byLabel, ...entries.filter(entry => !found.has(entry) && contains(entry))];
}

/** Changes the filter; the mark goes to the best match. */
export function filterPicker(picker: ListPicker, query: string): ListPicker {
  const isSame = query === picker.query;
  return remark({ ...picker, query, marked: isSame ? picker.marked : undefined });
}

/** Replaces the entries; the mark stays where it is, or near it. */
export function replaceEntries(picker: ListPicker, entries: readonly PickerEntry[]): ListPicker {
  const before = shownEntries(picker).findIndex(({ entry }) => entry.id === picker.marked);
  const next = { ...picker, entries };
  if (entries.some(({ id }) => id === picker.marked)) return remark(next);
  const shown = shownEntries(next);
  return remark({ ...next, marked: shown[Math.max(0, Math.min(before, shown.length - 1))]?.entry.id });
}

/** Moves the mark; it stops at the ends. `page` is the number of entries of a page. */
export function movePicker(picker: ListPicker, move: ListMove, page: number): ListPicker {
  const shown = shownEntries(picker);
  const at = shown.findIndex(({ entry }) => entry.id === picker.marked);
  const last = shown.length - 1;
  const to = {
    up: at - 1,
    down: at + 1,
    'page-up': at - Math.max(1, page),
    'page-down': at + Math.max(1, page),
    first: 0,
    last,
  }[move];
  return { ...picker, marked: shown[Math.max(0, Math.min(last, to))]?.entry.id };
}

/** Returns the marked entry. */
export function markedEntry(picker: ListPicker): PickerEntry | undefined {
  return shownEntries(picker).find(({ entry }) => entry.id === picker.marked)?.entry;
}

/** Shows or hides the preview of the marked entry. */
export function togglePreview(picker: ListPicker): ListPicker {
  return { ...picker, showsPreview: !picker.showsPreview };
}

/** The mark is always on an entry that is shown, if there is one. */
function remark(picker: ListPicker): ListPicker {
  const shown = shownEntries(picker);
  if (shown.some(({ entry }) => entry.id === picker.marked)) return picker;
  return { ...picker, marked: shown[0]?.entry.id };
}
