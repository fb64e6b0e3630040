import type { PickerEntry } from './list-picker.ts';

/** Returns the agents as entries; `current` is that of the thread that is shown. */
export function agentEntries(
  agents: readonly { readonly id: string; readonly name: string; readonly detail?: string }[],
  current: string,
): readonly PickerEntry[] {
  return agents.map(({ id, name, detail }) => ({
    id,
    label: id === current ? `${id} (this thread)` : id,
    ...((detail ?? name) !== id && { detail: detail ?? name }),
  }));
}
