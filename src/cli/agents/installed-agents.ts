import { shortFolder } from '../../control/same-folder.ts';
import { join } from 'node:path';
import { cliAdapters } from '../../agents/cli/adapters/cli-adapters.ts';
import { demoAgent, demoSuggestions } from '../../agents/demo/demo-agent.ts';
import type { Agent } from '../../agents/contract/agent.ts';
import { cliAgent } from '../../agents/cli/agent/cli-agent.ts';
import { pricedModel } from '../../agents/model/prices/prices.ts';
import { once } from '../../base/once.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { AgentInfo, SetupInfo } from '../../protocols/http-agents.ts';
import type { AgentDirectory } from '../../server/hosts.ts';
import { type CoderEquipment, CoderInstallation, configuredRegistry, findDefaultModel } from '../coder.ts';
import { findInstalledAdapters, ownAgents } from './own-agents.ts';
import { recordedAgent } from '../run/run-record.ts';
import { withSavedRules } from './saved-rules.ts';
import { runsFolder } from '../run/run-agent.ts';
import { writtenSessionsFolder } from '../settings/home.ts';
import type { Settings } from '../settings/settings.ts';

export interface InstalledAgentsOptions extends Settings {
  /** Allows external agents to do everything without asking. */
  readonly yolo: boolean;
}

/** The agents of an installation, the default first. */
export interface InstalledAgents extends AgentDirectory {
  readonly all: readonly Agent[];
  /** The models of the coding agent, the default first. */
  readonly models: readonly string[];
  /** One sentence for each part of the configuration that could not be used. */
  readonly problems: readonly string[];
  /** The skills and MCP servers of the coding agent; undefined when it has no model. */
  equipment(): Promise<CoderEquipment | undefined>;
  /** Refreshes the models after a key or a model server was stored or removed. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

interface Offered {
  readonly agent: Agent;
  readonly info: AgentInfo;
}

/** Returns the configured agents, the coding agent when a model is available, the external agents, and the demo. */
export async function installedAgents(options: InstalledAgentsOptions): Promise<InstalledAgents> {
  const { config, cwd, home } = options;
  const place = shortFolder(cwd);
  const installation = new CoderInstallation(options);
  const own = ownAgents(config).map(agent => ({ agent, info: { id: agent.id, name: agent.id, ...listOffers(agent) } }));
  const others: readonly Offered[] = [
    ...(await externalAgents(options, place)),
    { agent: demoAgent({ folder: join(home, 'demo') }), info: demoInfo },
  ];
  const find = async () => {
    const coder = await installation.create();
    const ours =
      coder === undefined
        ? []
        : [{ agent: coder.agent, info: coderInfo(coder.agent, await coder.listModels(), place) }];
    const offered = ordered([...own, ...ours, ...others], config.defaultAgent);
    const agents = offered.map(({ agent, info }) => ({ agent: withSavedRules(agent, home), info }));
    const list = once(() => agents.map(({ info }) => ({ ...info, ...getContextWindows(info) })));
    return { coder, agents, list };
  };
  let found = await find();
  return {
    get all() {
      return found.agents.map(({ agent }) => agent);
    },
    get models() {
      return found.coder?.models ?? [];
    },
    get problems() {
      return found.coder?.problems ?? [];
    },
    equipment: async () => installation.equipment,
    list: () => found.list(),
    get: id => found.agents.find(({ agent }) => agent.id === id)?.agent,
    setup: () => buildSetup(options, found.agents, place),
    refresh: async () => void (found = await find()),
    close: () => installation.close(),
  };
}

const demoInfo: AgentInfo = {
  id: 'demo',
  name: 'Demo',
  description: 'A scripted agent that needs no key',
  suggestions: [...demoSuggestions],
};

function coderInfo(agent: Agent, models: readonly string[], place: string): AgentInfo {
  return {
    id: agent.id,
    name: 'Coder',
    description: `Our coding agent in ${place}`,
    models: [...models],
    ...listOffers(agent),
  };
}

/** Returns the known agents and keys; keys are looked up each time. */
function buildSetup(options: InstalledAgentsOptions, agents: readonly Offered[], folder: string): SetupInfo {
  return {
    folder,
    agents: Object.values(cliAdapters).map(({ id, name, install }) => ({
      id,
      name,
      install,
      isInstalled: agents.some(({ info }) => info.id === id),
    })),
    keys: configuredRegistry(options)
      .providers()
      .flatMap(({ name, envVar, configured }) =>
        envVar === undefined ? [] : [{ name, variable: envVar, isSet: configured }],
      ),
  };
}

/** The context windows of an agent's models in the price list; found when they are first listed. */
function getContextWindows({ models = [] }: AgentInfo): Pick<AgentInfo, 'contextWindows'> {
  const known = models.flatMap(id => {
    const [provider = '', ...rest] = id.split('/');
    const window = pricedModel({ provider, model: rest.join('/') })?.contextWindow;
    return window === undefined ? [] : [[id, window] as const];
  });
  return known.length === 0 ? {} : { contextWindows: Object.fromEntries(known) };
}

function listOffers({ modes, commands = [] }: Agent): Pick<AgentInfo, 'modes' | 'commands'> {
  return {
    ...(modes !== undefined && { modes: modes.map(mode => ({ ...mode })) }),
    ...(commands.length > 0 && { commands: commands.map(command => ({ ...command })) }),
  };
}

/** The default agent comes first. */
function ordered(offered: readonly Offered[], defaultAgent: string | undefined): Offered[] {
  if (defaultAgent === undefined) return [...offered];
  const first = offered.find(({ agent }) => agent.id === defaultAgent);
  if (first === undefined)
    throw new SingletreeError(
      'agent_not_found',
      `The default agent "${defaultAgent}" is not available here. Available: ${offered.map(({ agent }) => agent.id).join(', ')}.`,
    );
  return [first, ...offered.filter(each => each !== first)];
}

async function externalAgents(options: InstalledAgentsOptions, place: string): Promise<Offered[]> {
  const { home, cwd, yolo, environment } = options;
  return (await findInstalledAdapters()).map(({ id, name }) => {
    const sessionFolder = writtenSessionsFolder(home);
    const compaction = { model: () => findDefaultModel(options) };
    const agent = cliAgent(id, { cwd, yolo, environment, sessionFolder, compaction });
    return {
      info: { id, name, description: `${name} in ${place}`, ...listOffers(agent) },
      agent: recordedAgent(agent, runId => runsFolder(home, runId)),
    };
  });
}
