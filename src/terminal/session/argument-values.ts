import type { CompletionSources } from '../../projections/completion/completion.ts';
import { densities } from '../rows/tool-row.ts';
import { slashCommands } from '../completion/commands.ts';
import type { ChatOptions } from './chat-options.ts';
import type { ChatThreads } from './chat-threads.ts';

type Values = ReturnType<CompletionSources['values']>;

/**
 * Returns what arguments of commands can be. Models and agents are read in the background: they are offered once they are
 * known.
 */
export function argumentValues(
  threads: () => Pick<ChatThreads, 'agent' | 'modes'>,
  { agents: offered, listModels }: Pick<ChatOptions, 'agents' | 'listModels'>,
): CompletionSources['values'] {
  let models: Values | undefined;
  let agents: Values | undefined;
  const readAgents = () => {
    agents ??= [];
    void offered
      .list()
      .then(all => (agents = all.map(({ id, name }) => ({ text: id, ...(name !== id && { detail: name }) }))))
      .catch(() => {});
  };
  const readModels = () => {
    models ??= [];
    void listModels()
      .then(all => (models = all.filter(({ hasApiKey }) => hasApiKey).map(({ id }) => ({ text: id }))))
      .catch(() => {});
  };
  return kind => {
    if (kind === 'mode')
      return threads().modes.map(({ id, name }) => ({ text: id, ...(name !== id && { detail: name }) }));
    if (kind === 'command') return slashCommands.map(({ name, does }) => ({ text: name, detail: does }));
    if (kind === 'copy') return ['answer', 'code', 'command'].map(text => ({ text }));
    if (kind === 'density') return Object.keys(densities).map(text => ({ text }));
    if (kind === 'agent') {
      if (agents === undefined) readAgents();
      return agents ?? [];
    }
    if (kind !== 'model' || threads().agent.hasOwnModels) return [];
    if (models === undefined) readModels();
    return models ?? [];
  };
}
