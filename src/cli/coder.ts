import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CallableAgent } from '../agents/contract/agent.ts';
import { coderAgent } from '../agents/coder/coder-agent.ts';
import { connectAllMcp, type McpSources } from '../agents/mcp/connect-mcp.ts';
import { createModelRegistry } from '../agents/model/registry/registry.ts';
import type { ModelRegistry, ModelProvider, ModelSource } from '../agents/contract/model.ts';
import { discoverSkills, type Skill } from '../agents/skills/discover-skills.ts';
import { findLocalServers, type LocalServer, listServerModels } from '../agents/model/registry/local-servers.ts';
import type { Limits } from '../agents/limits/limits.ts';
import { compatibleProvider } from '../agents/model/registry/providers.ts';
import type { PermissionRuleSet } from '../agents/contract/permissions.ts';
import { secretsIn } from '../agents/process/environment.ts';
import { createRedactor } from '../agents/redaction/redactor.ts';
import { StoredProviders, type StoredServer, withStoredKeys } from '../config/stored-providers.ts';
import { defined } from '../base/defined.ts';
import { listModels } from '../control/harness/settings/models.ts';
import { usableModels } from '../terminal/pickers/list-entries.ts';
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

/** The advice to print when no model is available. */
export const withoutModel =
  'No model can be used yet: set ANTHROPIC_API_KEY or OPENAI_API_KEY (`singletree models --all` names others), or start Ollama.';
export const demoOffer = 'The demo needs no key: singletree chat demo';

/** Returns the registry of the models that the configuration, the environment and stored keys bring. */
export function configuredRegistry(
  { config: { models }, home }: Pick<Settings, 'config' | 'home'>,
  local: readonly ModelServer[] = [],
): ModelRegistry {
  const stored = new StoredProviders(home);
  const configured = (models?.providers ?? []).map(({ id, baseURL, name, keyVariable: envVar }) => ({
    id,
    baseURL,
    ...defined({ name, envVar }),
  }));
  const servers = Object.entries(stored.servers()).map(([id, server]) => serverProvider(id, server));
  const registry = createModelRegistry({
    env: withStoredKeys(process.env, stored),
    providers: [...local.map(({ provider }) => provider), ...servers, ...configured],
  });
  const hideKeys = (text: string) => createRedactor([...secretsIn(process.env), ...stored.secrets()]).text(text);
  return { ...registry, hideKeys };
}

/** A server of models that was found or stored, and the models it has. */
type ModelServer = Pick<LocalServer, 'models'> & { readonly provider: LocalServer['provider'] | ModelProvider };

/** Finds the servers of models on this machine, and those that a person stored. */
export async function findModelServers(home: string): Promise<readonly ModelServer[]> {
  const stored = Object.entries(new StoredProviders(home).servers());
  const [local, ...added] = await Promise.all([
    findLocalServers(),
    ...stored.map(async ([id, server]) => ({
      provider: serverProvider(id, server),
      models: (await listServerModels(server.baseURL, { timeoutMs: 2_000, key: server.key })) ?? [],
    })),
  ]);
  return [...added, ...local.filter(({ provider }) => !stored.some(([id]) => id === provider.id))];
}

/** Creates a provider whose key is never an environment variable, so that no started program gets it. */
function serverProvider(id: string, { name, baseURL, key }: StoredServer): ModelProvider {
  const provider = compatibleProvider({ id, baseURL, ...defined({ name }) });
  return { ...provider, load: settings => provider.load({ ...settings, ...defined({ apiKey: key }) }) };
}

/** Returns the ids of the models to offer, the default first; empty when none is available. */
export function offeredModels(
  { models, defaultModel }: Settings['config'],
  registry: ModelRegistry,
  local: readonly ModelServer[] = [],
): string[] {
  const here = local.flatMap(({ provider, models: names }) => names.map(name => `${provider.id}/${name}`));
  const named = models?.offered ?? [...usualModels, ...here];
  const all = defaultModel === undefined ? named : [defaultModel, ...named];
  return [...new Set(all)].filter(id => registry.isConfigured(id));
}

/** Returns the default model; undefined when none is available. */
export async function findDefaultModel(settings: Pick<Settings, 'config' | 'home'>): Promise<ModelSource | undefined> {
  const servers = await findModelServers(settings.home);
  const registry = configuredRegistry(settings, servers);
  const [id] = offeredModels(settings.config, registry, servers);
  return id === undefined ? undefined : registry.resolve(id);
}

/** Returns a notice about an unavailable default model, which another model replaces. */
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
  /** Returns all models that can be chosen, as the chat lists them, the default first. */
  listModels(): Promise<readonly string[]>;
  /** One sentence for each MCP server or skill that could not be used. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

interface CoderOptions {
  readonly model?: string | undefined;
  readonly permissions?: PermissionRuleSet | undefined;
  /** Whether `create` requires a model that can be called. Default: true. */
  readonly needsKey?: boolean;
}

/** Creates the coding agent of a configuration: finds models for each agent, and opens skills and MCP servers once. */
export class CoderInstallation {
  readonly #settings: Settings;
  #equipment: Promise<CoderEquipment> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The skills and MCP servers; undefined before the first agent was created. */
  get equipment(): Promise<CoderEquipment> | undefined {
    return this.#equipment;
  }

  /** Creates the agent with the models that are available now; undefined when none is available. */
  async create(options: CoderOptions = {}): Promise<InstalledCoder | undefined> {
    const { config, cwd, home, environment } = this.#settings;
    const servers = await findModelServers(home);
    const registry = configuredRegistry(this.#settings, servers);
    // A named model is not replaced by another one; its error states what is missing.
    if (options.model !== undefined && options.needsKey !== false) await registry.resolve(options.model);
    const named = options.model === undefined ? [] : [options.model];
    const models = [...new Set([...named, ...offeredModels(config, registry, servers)])];
    const model = models[0] ?? (options.needsKey === false ? usualModels[0] : undefined);
    if (model === undefined) return undefined;
    const { skills, mcp, problems } = await (this.#equipment ??= openEquipment(this.#settings));
    const permissions = options.permissions ?? config.permissions;
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
    const contextSize = (id: string) => (registry.isConfigured(id) ? registry.model(id)?.contextWindow : undefined);
    return {
      agent,
      models,
      listModels: async () => {
        const usable = usableModels(await listModels({ registry }), { current: model, contextSize });
        return [...new Set([...models, ...usable.map(({ id }) => id)])];
      },
      problems: [...defaultModelProblem(config, registry), ...problems],
      close: () => this.close(),
    };
  }

  async close(): Promise<void> {
    await (await this.#equipment)?.mcp.close();
  }
}

/** The equipment of the coding agent in addition to its built-in tools. */
export interface CoderEquipment {
  readonly skills: readonly Skill[];
  readonly mcp: McpSources;
  readonly problems: readonly string[];
}

async function openEquipment({ config, home }: Settings): Promise<CoderEquipment> {
  const folders = [...(config.skills ?? []), join(home, 'skills')].filter(existsSync);
  const { skills, problems } = await discoverSkills(folders);
  const mcp = await connectAllMcp({ mcpServers: config.mcpServers ?? {} });
  return {
    skills,
    mcp,
    problems: [
      ...mcp.failures.map(({ name, error }) => `The MCP server "${name}" is not available: ${error.message}`),
      ...problems.map(({ path, problem }) => `The skill in ${path} cannot be used: ${problem}`),
    ],
  };
}
