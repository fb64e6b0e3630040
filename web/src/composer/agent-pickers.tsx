import { useState } from 'react';
import { modelName } from '../../../src/projections/presentation/model-name.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { MessageBody } from '../../../src/protocols/http-api.ts';
import { Picker } from './picker.tsx';
import type { PickerOption } from './picker-list.tsx';

type Chosen = Pick<MessageBody, 'agent' | 'model' | 'mode'>;

/** The agent, model and mode that the next message of a thread uses by default. */
export interface UsualChoice {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
}

/** The agent, the model and the mode of the next message, as far as the agent offers a choice. */
export function useAgentChoice(agents: readonly AgentInfo[], usual: UsualChoice) {
  const [agentId, setAgentId] = useState<string>();
  const [lastUsual, setLastUsual] = useState(usual.agent);
  if (usual.agent !== lastUsual) {
    // A new preselection replaces an earlier choice.
    setLastUsual(usual.agent);
    setAgentId(undefined);
  }
  const [model, setModel] = useState('');
  /** The mode that the next message changes the thread to; empty to leave it as it is. */
  const [mode, setMode] = useState('');
  const agent = agents.find(each => each.id === (agentId ?? usual.agent)) ?? agents[0];
  const models = agent?.models ?? [];
  const modes = agent?.modes ?? [];
  const chosen: Chosen = {
    ...(agent && { agent: agent.id }),
    ...(models.includes(model) && { model }),
    ...(modes.some(({ id }) => id === mode) && { mode }),
  };
  const isUsual = agent?.id === usual.agent;
  /** The values in effect: the user's choice, else the one the thread used last, else the first of the agent. */
  const current = {
    model: chosen.model ?? models.find(id => isUsual && id === usual.model) ?? models[0] ?? '',
    mode: chosen.mode ?? modes.find(({ id }) => isUsual && id === usual.mode)?.id ?? modes[0]?.id ?? '',
  };
  return { agents, models, modes, chosen, current, setAgentId, setModel, setMode };
}

/** The pickers of the agent, the model and the mode. */
export function AgentPickers({
  choice: { agents, models, modes, chosen, current, setAgentId, setModel, setMode },
  disabled,
}: {
  choice: ReturnType<typeof useAgentChoice>;
  disabled: boolean;
}) {
  return (
    <>
      <Picker label="Agent" value={chosen.agent ?? ''} onChange={setAgentId} disabled={disabled}>
        {agents.map(({ id, name, description }) => ({ value: id, label: name, detail: description }))}
      </Picker>
      {models.length > 0 && (
        <Picker label="Model" value={current.model} onChange={setModel} disabled={disabled}>
          {models.map(modelOption)}
        </Picker>
      )}
      {modes.length > 0 && (
        <Picker label="Mode" value={current.mode} onChange={setMode} disabled={disabled}>
          {modes.map(({ id, name, description }) => ({ value: id, label: name, detail: description }))}
        </Picker>
      )}
    </>
  );
}

function modelOption(id: string): PickerOption {
  const label = modelName(id);
  return { value: id, label, ...(label !== id && { detail: id }) };
}
