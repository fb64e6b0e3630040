import type { Harness } from '../../control/index.ts';
import type { CompletionSources } from '../completion/completion.ts';
import { densities } from '../rows/density.ts';
import { slashCommands } from '../completion/commands.ts';

type Values = ReturnType<CompletionSources['values']>;

/** Returns what arguments of commands can be. Models are read in the background: they are offered once they are known. */
export function argumentValues(harness: () => Harness): CompletionSources['values'] {
  let models: Values | undefined;
  const readModels = () => {
    models ??= [];
    void harness()
      .listAvailableModels()
      .then(all => (models = all.filter(({ hasApiKey }) => hasApiKey).map(({ id }) => ({ text: id }))))
      .catch(() => {});
  };
  return kind => {
    if (kind === 'mode')
      return harness()
        .listModes()
        .map(({ id, name }) => ({ text: id, ...(name !== undefined && name !== id && { detail: name }) }));
    if (kind === 'command') return slashCommands.map(({ name, does }) => ({ text: name, detail: does }));
    if (kind === 'copy') return ['answer', 'code', 'command'].map(text => ({ text }));
    if (kind === 'density') return Object.keys(densities).map(text => ({ text }));
    if (kind !== 'model') return [];
    if (models === undefined) readModels();
    return models ?? [];
  };
}
