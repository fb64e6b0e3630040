import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CallableAgent,
  coderAgent,
  connectAllMcp,
  createModelRegistry,
  discoverSkills,
  findLocalServers,
  type Limits,
  type LocalServer,
  type ModelRegistry,
  type PermissionRuleSet,
} from '../agents/index.ts';
import { defined } from '../events/defined.ts';
import type { Settings } from './settings/settings.ts';

/** The models that are offered when no configuration names any, best default first. */
const usualModels = [
  'anthropic/claude-sonnet-5',
  'anthropic/claude-opus-5-5',
  'anthropic/claude-haiku-4-5',
  'openai/gpt-6-sol',
  'openai/gpt-5.5',
  'openai/gpt-5.4-mini',
];

/** What to do when no model can be used. */
export const withoutModel =
  'No model can be used yet: set ANTHROPIC_API_KEY or OPENAI_API_KEY (`singletree models --all` names others), or start Ollama.';
export const demoOffer = 'The demo needs no key: singletree chat demo';

/** Returns the registry of the models that the configuration and the environment bring. */
export function configuredRegistry({ models }: Settings['config'], local: readonly LocalServer[] = []): ModelRegistry {
  const providers = (models?.providers ?? []).map(({ id, baseURL, name, keyVariable: envVar }) => ({
    id,
    baseURL,
    ...defined({ name, envVar }),
  }));
  return createModelRegistry({ providers: [...local.map(({ provider }) => provider), ...providers] });
}

/** Returns the ids of the models to offer, the default first; empty when none can be used. */
export function offeredModels(
  { models, defaultModel }: Settings['config'],
  registry: ModelRegistry,
  local: readonly LocalServer[] = [],
): string[] {
  const here = local.flatMap(({ provider, models: names }) => names.map(name => `${provider.id}/${name}`));
  const named = models?.offered ?? [...usualModels, ...here];
  const all = defaultModel === undefined ? named : [defaultModel, ...named];
  return [...new Set(all)].filter(id => registry.isConfigured(id));
}

/** Names the variable that a default model lacks: another model takes its place. */
function defaultModelProblem({ defaultModel }: Settings['config'], registry: ModelRegistry): string[] {
  if (defaultModel === undefined || registry.isConfigured(defaultModel)) return [];
  const advice = registry.providers().find(({ id }) => defaultModel.startsWith(`${id}/`))?.envVar;
  const what = advice === undefined ? 'No provider has it.' : `Set ${advice}.`;
  return [`The default model "${defaultModel}" cannot be used: another one takes its place. ${what}`];
}

/** The coding agent of an installation, its models, and what to close at the end. */
export interface InstalledCoder {
  readonly agent: CallableAgent;
  readonly models: readonly string[];
  /** One sentence for each MCP server or skill that could not be used. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Creates the coding agent of a configuration; undefined when no model can be used. */
export async function installedCoder(
  { config, cwd, home, environment }: Settings,
  more: {
    readonly model?: string | undefined;
    readonly permissions?: PermissionRuleSet | undefined;
    /** Whether there is no agent without a model that can be called. Default: true. */
    readonly needsKey?: boolean;
  } = {},
): Promise<InstalledCoder | undefined> {
  const local = await findLocalServers();
  const registry = configuredRegistry(config, local);
  // A model that was named is not replaced by another one: its error says what is missing.
  if (more.model !== undefined && more.needsKey !== false) await registry.resolve(more.model);
  const models = [
    ...new Set([...(more.model === undefined ? [] : [more.model]), ...offeredModels(config, registry, local)]),
  ];
  const model = models[0] ?? (more.needsKey === false ? usualModels[0] : undefined);
  if (model === undefined) return undefined;
  const folders = [...(config.skills ?? []), join(home, 'skills')].filter(existsSync);
  const { skills, problems } = await discoverSkills(folders);
  const mcp = await connectAllMcp({ mcpServers: config.mcpServers ?? {} });
  const permissions = more.permissions ?? config.permissions;
  const agent = coderAgent({
    model,
    cwd,
    home,
    environment,
    registry,
    skills,
    tools: () => [...mcp.tools()],
    ...defined({ permissions, subagents: config.subagents }),
    ...(config.limits && { limits: config.limits as Limits }),
  });
  return {
    agent,
    models,
    problems: [
      ...defaultModelProblem(config, registry),
      ...mcp.failures.map(({ name, error }) => `The MCP server "${name}" is not available: ${error.message}`),
      ...problems.map(({ path, problem }) => `The skill in ${path} cannot be used: ${problem}`),
    ],
    close: () => mcp.close(),
  };
}
