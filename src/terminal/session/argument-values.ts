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
  const agents = readOnce(async () =>
    (await offered.list()).map(({ id, name }) => ({ text: id, ...(name !== id && { detail: name }) })),
  );
  const models = readOnce(async () =>
    (await listModels()).filter(({ hasApiKey }) => hasApiKey).map(({ id }) => ({ text: id })),
  );
  return kind => {
    if (kind === 'mode')
      return threads().modes.map(({ id, name }) => ({ text: id, ...(name !== id && { detail: name }) }));
    if (kind === 'command') return slashCommands.map(({ name, does }) => ({ text: name, detail: does }));
    if (kind === 'copy') return ['answer', 'code', 'command'].map(text => ({ text }));
    if (kind === 'density') return Object.keys(densities).map(text => ({ text }));
    if (kind === 'agent') return agents();
    return kind !== 'model' || threads().agent.hasOwnModels ? [] : models();
  };
}

/** Reads values in the background when they are first asked for; none are known until then, or when that fails. */
function readOnce(read: () => Promise<Values>): () => Values {
  let values: Values | undefined;
  return () => {
    if (values === undefined) {
      values = [];
      void read().then(
        found => (values = found),
        () => {}, // Without them nothing is completed.
      );
    }
    return values;
  };
}
