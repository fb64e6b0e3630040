import type { PickerEntry } from './list-picker.ts';

/** Returns what waits as entries, in the order in which it is sent. */
export function queueEntries(items: readonly { readonly id: string; readonly text: string }[]): readonly PickerEntry[] {
  return items.map(({ id, text }, index) => ({ id, label: `${index + 1}. ${text}`, preview: text.split('\n') }));
}
