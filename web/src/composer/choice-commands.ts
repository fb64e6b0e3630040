import { modelName } from '../../../src/projections/presentation/model-name.ts';
import type { useAgentChoice } from './agent-pickers.tsx';
import type { PageCommand } from './page-command.ts';

/** The commands that choose agent, model and mode of the next message, and those of the chosen agent. */
export function choiceCommands(choice: ReturnType<typeof useAgentChoice>): readonly PageCommand[] {
  const { agents, models, modes, chosen, setAgentId, setModel, setMode } = choice;
  const agent = agents.find(({ id }) => id === chosen.agent);
  const pick = (name: string, values: readonly { text: string; detail: string }[], set: (text: string) => void) =>
    values.length < 2
      ? []
      : [
          {
            name,
            argument: '…',
            completes: name,
            does: `choose the ${name} of the next message`,
            values,
            run: (argument: string) => {
              const known = values.find(({ text }) => text === argument);
              if (known === undefined) throw new Error(`Unknown ${name} “${argument}”.`);
              set(known.text);
              return undefined;
            },
          },
        ];
  return [
    ...pick(
      'model',
      models.map(id => ({ text: id, detail: modelName(id) })),
      setModel,
    ),
    ...pick(
      'mode',
      modes.map(({ id, name }) => ({ text: id, detail: name })),
      setMode,
    ),
    ...pick(
      'agent',
      agents.map(({ id, name }) => ({ text: id, detail: name })),
      setAgentId,
    ),
    ...(agent?.commands ?? []).map(({ name, description, sends }) => ({
      name,
      argument: '[text]',
      does: description === '' ? `a command of ${agent?.name ?? ''}` : description,
      run: (argument: string) => sends.replaceAll('{argument}', argument).trim(),
    })),
  ];
}
