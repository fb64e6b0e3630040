import type { PickerEntry } from './list-picker.ts';

/** A model as a list shows it. */
export interface ListedModel {
  readonly id: string;
  readonly provider: string;
  readonly hasApiKey: boolean;
  readonly apiKeyEnvVar?: string;
  readonly useCount: number;
}

export interface ModelListOptions {
  /** The model in use; empty when that is not known. */
  readonly current: string;
  /** Returns how many tokens the context of a model takes; undefined when that is not known. */
  readonly contextSize?: ((modelId: string) => number | undefined) | undefined;
}

/** An agent fills a smaller context with its first files. */
const leastContext = 32_000;

/** Returns the models that an agent can work with now: they have a key, and no context that is known to be small. */
export function usableModels<Model extends ListedModel>(
  models: readonly Model[],
  { current, contextSize }: ModelListOptions,
): readonly Model[] {
  return models.filter(
    ({ id, hasApiKey }) => id === current || (hasApiKey && (contextSize?.(id) ?? leastContext) >= leastContext),
  );
}

/**
 * Returns models as entries: the one in use, then those that can be used, then those that miss a key; each by use, then
 * those with the largest context and the newest names first.
 */
export function modelEntries(
  models: readonly ListedModel[],
  { current, contextSize }: ModelListOptions,
): readonly PickerEntry[] {
  const rank = ({ id, hasApiKey }: ListedModel) => (id === current ? 2 : hasApiKey ? 1 : 0);
  const size = ({ id }: ListedModel) => contextSize?.(id) ?? 0;
  return models
    .toSorted(
      (one, other) =>
        rank(other) - rank(one) ||
        other.useCount - one.useCount ||
        size(other) - size(one) ||
        other.id.localeCompare(one.id, 'en', { numeric: true }),
    )
    .map(model => {
      const { id, hasApiKey, apiKeyEnvVar } = model;
      const context = size(model) === 0 ? '' : `${Math.round(size(model) / 1_000)}k context`;
      const detail = hasApiKey ? context : apiKeyEnvVar === undefined ? 'no key' : `needs ${apiKeyEnvVar}`;
      return {
        id,
        label: `${id}${id === current ? ' (in use)' : ''}`,
        ...(detail !== '' && { detail }),
        group: hasApiKey || id === current ? 'ready' : 'without a key',
      };
    });
}
