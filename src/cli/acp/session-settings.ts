import type { AgentInfo } from '../../protocols/http-agents.ts';
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';

/** The mode and model of a session; the agent's first one when absent. */
export interface SessionChoice {
  readonly mode?: string | undefined;
  readonly model?: string | undefined;
}

/** The settings of a session in both vocabularies of the protocol. */
export interface SessionSettings {
  readonly modes?: SessionModeState;
  readonly configOptions: SessionConfigOption[];
}

/** Returns the modes and models of an agent with the selection of a session. */
export function listSettings(
  { modes = [], models = [] }: Pick<AgentInfo, 'modes' | 'models'>,
  { mode, model }: SessionChoice,
): SessionSettings {
  const configOptions: SessionConfigOption[] = [];
  const currentModeId = modes.some(({ id }) => id === mode) ? mode : modes[0]?.id;
  if (currentModeId !== undefined)
    configOptions.push({
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: currentModeId,
      options: modes.map(({ id: value, name, description = null }) => ({ value, name, description })),
    });
  const [firstModel] = models;
  if (firstModel !== undefined)
    configOptions.push({
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: model !== undefined && models.includes(model) ? model : firstModel,
      options: models.map(value => ({ value, name: value })),
    });
  if (currentModeId === undefined) return { configOptions };
  const availableModes = modes.map(({ id, name, description = null }) => ({ id, name, description }));
  return { modes: { currentModeId, availableModes }, configOptions };
}
