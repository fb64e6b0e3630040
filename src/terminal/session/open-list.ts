import type { ActionName } from '../keys/actions.ts';
import {
  filterPicker,
  type ListMove,
  type ListPicker,
  markedEntry,
  movePicker,
  pageSize,
  type PickerEntry,
  pickerLines,
  replaceEntries,
  shownEntries,
  togglePreview,
} from '../pickers/list-picker.ts';
import { nextTurn } from '../../log/next-turn.ts';
import type { Line } from '../screen/styled-line.ts';

/** What the keys of a list do. A list whose `choose` opens no other list is closed by it. */
export interface ListHandlers {
  readonly choose: (entry: PickerEntry) => void | Promise<void>;
  readonly close?: () => void;
  /** Entries before the first one, which are read when the mark comes near to it, or when too few match the filter. */
  readonly earlier?: { readonly exist: () => boolean; readonly load: () => Promise<ListChange> };
  /** Other keys, by their action: the entries afterwards, or undefined when the list is to be closed. */
  readonly on?: Partial<Record<ListAction, (entry: PickerEntry | undefined) => ListChange | Promise<ListChange>>>;
}

/** A key that only some lists have. */
export type ListAction = Extract<
  ActionName,
  'list.scope' | 'list.delete' | 'list.edit' | 'list.send' | 'list.move-up' | 'list.move-down'
>;

/** What a key did to a list. */
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
  readonly #onError: (error: unknown) => void;
  readonly #onChange: () => void;

  constructor(onChange: () => void, onError: (error: unknown) => void) {
    this.#onChange = onChange;
    this.#onError = onError;
  }

  get isOpen(): boolean {
    return this.#picker !== undefined;
  }

  /** Opens a list instead of the one that is open. */
  open(picker: ListPicker, handlers: ListHandlers): void {
    this.#handlers?.close?.();
    this.#picker = picker;
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

  /** Reads earlier entries while they are needed; keys are taken meanwhile. */
  async #loadEarlier(): Promise<void> {
    const handlers = this.#handlers;
    if (handlers === undefined || handlers === this.#loading) return;
    this.#loading = handlers;
    try {
      while (handlers.earlier?.exist() === true && handlers === this.#handlers && this.#needsEarlier()) {
        this.apply(handlers, await handlers.earlier.load());
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

  /** Changes the list of these handlers, if it is the one that is open. */
  apply(handlers: ListHandlers, change: ListChange): void {
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
    const apply = (change: ListChange) => this.apply(handlers, change);
    if (changed instanceof Promise) void changed.then(apply).catch(this.#onError);
    else apply(changed);
  }
}
