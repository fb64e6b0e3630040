import type { PickerEntry } from './list-picker.ts';

/** A model as a list shows it. */
export interface ListedModel {
  readonly id: string;
  readonly provider: string;
  readonly hasApiKey: boolean;
  readonly apiKeyEnvVar?: string;
  readonly useCount: number;
}

/** Returns models as entries: those that can be used first, by use; then those that miss a key. */
export function modelEntries(models: readonly ListedModel[], current: string): readonly PickerEntry[] {
  return models
    .toSorted((one, other) => Number(other.hasApiKey) - Number(one.hasApiKey) || other.useCount - one.useCount)
    .map(({ id, hasApiKey, apiKeyEnvVar }) => ({
      id,
      label: `${id}${id === current ? ' (in use)' : ''}`,
      ...(!hasApiKey && { detail: apiKeyEnvVar === undefined ? 'no key' : `needs ${apiKeyEnvVar}` }),
      group: hasApiKey ? 'ready' : 'without a key',
    }));
}
