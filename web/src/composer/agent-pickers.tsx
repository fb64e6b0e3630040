import { useState } from 'react';
import type { AgentInfo, MessageBody } from '../../../src/protocols/index.ts';
import { Picker } from './picker.tsx';

type Chosen = Pick<MessageBody, 'agent' | 'model' | 'mode'>;

/** The agent, the model and the mode of the next message, as far as the agent offers a choice. */
export function useAgentChoice(agents: readonly AgentInfo[], usual: string | undefined) {
  const [agentId, setAgentId] = useState<string>();
  const [lastUsual, setLastUsual] = useState(usual);
  if (usual !== lastUsual) {
    // A new preselection replaces an earlier choice.
    setLastUsual(usual);
    setAgentId(undefined);
  }
  const [model, setModel] = useState('');
  /** The mode that the next message changes the thread to; empty to leave it as it is. */
  const [mode, setMode] = useState('');
  const agent = agents.find(each => each.id === (agentId ?? usual)) ?? agents[0];
  const models = agent?.models ?? [];
  const modes = agent?.modes ?? [];
  const chosen: Chosen = {
    ...(agent && { agent: agent.id }),
    ...(models.includes(model) && { model }),
    ...(modes.some(({ id }) => id === mode) && { mode }),
  };
  return { agents, models, modes, chosen, setAgentId, setModel, setMode };
}

/** The pickers of the agent, the model and the mode. */
export function AgentPickers({
  choice: { agents, models, modes, chosen, setAgentId, setModel, setMode },
  disabled,
  isNew,
}: {
  choice: ReturnType<typeof useAgentChoice>;
  disabled: boolean;
  /** Whether there is no thread yet, which would have a mode. */
  isNew: boolean;
}) {
  return (
    <>
      <Picker label="Agent" value={chosen.agent ?? ''} onChange={setAgentId} disabled={disabled}>
        {agents.map(({ id, name }) => ({ value: id, label: name }))}
      </Picker>
      {models.length > 0 && (
        <Picker label="Model" value={chosen.model ?? ''} onChange={setModel} disabled={disabled}>
          {[{ value: '', label: 'Default model' }, ...models.map(id => ({ value: id, label: id }))]}
        </Picker>
      )}
      {modes.length > 0 && (
        <Picker label="Mode" value={chosen.mode ?? ''} onChange={setMode} disabled={disabled}>
          {[
            { value: '', label: isNew ? 'Default mode' : 'Current mode' },
            ...modes.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        </Picker>
      )}
    </>
  );
}
