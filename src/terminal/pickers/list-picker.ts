import { rowText } from '../../base/terminal-text.ts';
import { nextTurn } from '../../log/next-turn.ts';
import { ranked } from '../../projections/completion/fuzzy-match.ts';
import type { ActionName } from '../keys/actions.ts';
import { type Line, span } from '../screen/styled-line.ts';
import { lineWidth, textWidth } from '../screen/text-width.ts';
import { cutLine } from '../screen/wrap-line.ts';

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
  /** The text that filters the entries. */
  readonly query: string;
  /** The id of the marked entry. */
  readonly marked: string | undefined;
  readonly showsPreview: boolean;
  /** Keys that apply to the marked entry, for the line at the end. */
  readonly hint: string;
  /** The text that is shown when no entry matches. */
  readonly empty: string;
}

/** The keys of a list. */
export type ListMove = 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last';

/** The options for opening a list. */
type NewList = Pick<ListPicker, 'title' | 'entries'> & Partial<ListPicker>;

/** Opens a list; the first entry is marked unless another one is named. */
export function openPicker(list: NewList): ListPicker {
  const picker = { query: '', hint: '', empty: 'nothing matches', marked: undefined, showsPreview: false, ...list };
  return remark(picker);
}

/** Returns the entries that match: in their order and groups without a filter, else the best first. */
export function shownEntries({ entries, query }: ListPicker): readonly PickerEntry[] {
  return query.trim() === '' ? entries : query.trim().split(/\s+/).reduce(matching, entries);
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
  const before = shownEntries(picker).findIndex(({ id }) => id === picker.marked);
  const next = { ...picker, entries };
  if (entries.some(({ id }) => id === picker.marked)) return remark(next);
  const shown = shownEntries(next);
  return remark({ ...next, marked: shown[Math.max(0, Math.min(before, shown.length - 1))]?.id });
}

/** Moves the mark; it stops at the ends. `page` is the number of entries of a page. */
export function movePicker(picker: ListPicker, move: ListMove, page: number): ListPicker {
  const shown = shownEntries(picker);
  const at = shown.findIndex(({ id }) => id === picker.marked);
  const last = shown.length - 1;
  const to = {
    up: at - 1,
    down: at + 1,
    'page-up': at - Math.max(1, page),
    'page-down': at + Math.max(1, page),
    first: 0,
    last,
  }[move];
  return { ...picker, marked: shown[Math.max(0, Math.min(last, to))]?.id };
}

/** Returns the marked entry. */
export function markedEntry(picker: ListPicker): PickerEntry | undefined {
  return shownEntries(picker).find(({ id }) => id === picker.marked);
}

/** Shows or hides the preview of the marked entry. */
export function togglePreview(picker: ListPicker): ListPicker {
  return { ...picker, showsPreview: !picker.showsPreview };
}

/** The mark is always on an entry that is shown, if there is one. */
function remark(picker: ListPicker): ListPicker {
  const shown = shownEntries(picker);
  if (shown.some(({ id }) => id === picker.marked)) return picker;
  return { ...picker, marked: shown[0]?.id };
}

/** The size of the place in which a list is shown. */
interface PickerSize {
  readonly width: number;
  readonly height: number;
}

const fewestEntries = 1;
/** In a wider window the details would be far from what they are about. */
const mostWidth = 100;

/** Draws a list: title with filter, the entries around the mark under their headings, preview, hint. */
export function pickerLines(picker: ListPicker, size: PickerSize): readonly Line[] {
  const [width, height] = [Math.min(size.width, mostWidth), size.height];
  const shown = shownEntries(picker);
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
function pageSize(height: number): number {
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

/** The handlers of a list's keys. The list closes after `choose`, unless `choose` opens another list. */
export interface ListHandlers {
  readonly choose: (entry: PickerEntry) => void | Promise<void>;
  readonly close?: () => void;
  /** Returns the current entries, after something else changed them. */
  readonly refresh?: () => ListChange;
  /** Entries before the first one, which are read when the mark comes near to it, or when too few match the filter. */
  readonly earlier?: { readonly exist: () => boolean; readonly load: () => Promise<ListChange> };
  /** Other keys, by their action: the entries afterwards, or undefined when the list is to be closed. */
  readonly on?: Partial<Record<ListAction, (entry: PickerEntry | undefined) => ListChange | Promise<ListChange>>>;
}

/** A key that only some lists have. */
type ListAction = Extract<
  ActionName,
  'list.scope' | 'list.delete' | 'list.edit' | 'list.send' | 'list.move-up' | 'list.move-down'
>;

/** The effect of a key on a list. */
export type ListChange = { readonly entries: readonly PickerEntry[]; readonly title?: string } | 'close' | 'nothing';

const moves: Partial<Record<ActionName, ListMove>> = {
  'list.up': 'up',
  'list.down': 'down',
  'list.page-up': 'page-up',
  'list.page-down': 'page-down',
  'list.first': 'first',
  'list.last': 'last',
};

/** The list that is open, if one is. */
export class OpenList {
  #picker: ListPicker | undefined;
  #handlers: ListHandlers | undefined;
  #height = 10;
  /** The list of which earlier entries are being read. */
  #loading: ListHandlers | undefined;
  /** Whether the mark follows the first entry while earlier ones are read. */
  #goesToFirst = false;
  readonly #onChange: () => void;
  readonly #onError: (error: unknown) => void;

  constructor(onChange: () => void, onError: (error: unknown) => void) {
    [this.#onChange, this.#onError] = [onChange, onError];
  }

  get isOpen(): boolean {
    return this.#picker !== undefined;
  }

  /** Opens a list, replacing the one that is open. */
  open(list: NewList, handlers: ListHandlers): void {
    this.#handlers?.close?.();
    this.#picker = openPicker(list);
    this.#handlers = handlers;
    this.#onChange();
  }

  close(): void {
    const handlers = this.#handlers;
    this.#picker = undefined;
    this.#handlers = undefined;
    handlers?.close?.();
    this.#onChange();
  }

  /** Adds text to the filter. */
  type(text: string): void {
    if (this.#picker === undefined) return;
    this.#picker = filterPicker(this.#picker, this.#picker.query + text.replaceAll('\n', ' '));
    void this.#loadEarlier();
  }

  /** Carries an action out; false when no list is open or it is not an action of lists. */
  act(action: ActionName): boolean {
    const picker = this.#picker;
    const handlers = this.#handlers;
    if (picker === undefined || handlers === undefined || !action.startsWith('list.')) return false;
    const move = moves[action];
    this.#goesToFirst = move === 'first';
    if (move !== undefined) this.#picker = movePicker(picker, move, pageSize(this.#height));
    else if (action === 'list.close') this.close();
    else if (action === 'list.preview') this.#picker = togglePreview(picker);
    else if (action === 'list.delete-left')
      this.#picker = filterPicker(picker, Array.from(picker.query).slice(0, -1).join(''));
    else if (action === 'list.clear') this.#picker = filterPicker(picker, '');
    else if (action === 'list.choose') this.#choose(picker, handlers);
    else this.#other(action as ListAction, picker, handlers);
    void this.#loadEarlier();
    return true;
  }

  /** Reads earlier entries while they are needed; keys are handled in the meantime. */
  async #loadEarlier(): Promise<void> {
    const handlers = this.#handlers;
    if (handlers === undefined || handlers === this.#loading) return;
    this.#loading = handlers;
    try {
      while (handlers.earlier?.exist() === true && handlers === this.#handlers && this.#needsEarlier()) {
        this.#apply(handlers, await handlers.earlier.load());
        await nextTurn();
      }
    } catch (error) {
      this.#onError(error);
    } finally {
      if (this.#loading === handlers) this.#loading = undefined;
    }
  }

  #needsEarlier(): boolean {
    if (this.#picker === undefined) return false;
    const shown = shownEntries(this.#picker);
    const page = pageSize(this.#height);
    if (this.#picker.query.trim() !== '') return shown.length < page;
    return this.#goesToFirst || shown.findIndex(({ id }) => id === this.#picker?.marked) < page;
  }

  /** Shows what the open list has now, if it can change by itself. */
  refresh(): void {
    const handlers = this.#handlers;
    if (handlers?.refresh !== undefined) this.#apply(handlers, handlers.refresh());
  }

  /** Changes the list of these handlers, if it is the one that is open. */
  #apply(handlers: ListHandlers, change: ListChange): void {
    if (handlers !== this.#handlers || this.#picker === undefined || change === 'nothing') return;
    if (change === 'close') return this.close();
    const { title = this.#picker.title } = change;
    const next = { ...replaceEntries(this.#picker, change.entries), title };
    this.#picker = this.#goesToFirst ? movePicker(next, 'first', 1) : next;
    this.#onChange();
  }

  /** Draws the list in a place of this size; nothing when none is open. */
  lines(width: number, height: number): readonly Line[] {
    this.#height = height;
    return this.#picker === undefined ? [] : pickerLines(this.#picker, { width, height });
  }

  #choose(picker: ListPicker, handlers: ListHandlers): void {
    const entry = markedEntry(picker);
    if (entry === undefined) return;
    this.close();
    void Promise.resolve(handlers.choose(entry)).catch(this.#onError).finally(this.#onChange);
  }

  #other(action: ListAction, picker: ListPicker, handlers: ListHandlers): void {
    const changed = handlers.on?.[action]?.(markedEntry(picker));
    if (changed === undefined) return;
    const apply = (change: ListChange) => this.#apply(handlers, change);
    if (changed instanceof Promise) void changed.then(apply).catch(this.#onError);
    else apply(changed);
  }
}
