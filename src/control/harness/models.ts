import type { ModelRegistry } from '../../agents/model/registry/registry.ts';
import type { ProjectedEvent } from './harness-event.ts';

/** Whether the models of a provider can be used; undefined leaves it to the environment. */
export type ModelAuthChecker = (provider: string) => boolean | undefined;

/** How often each model was used, by id. */
export type ModelUseCountProvider = () => Readonly<Record<string, number>>;

/** Told the id of each model that is chosen. What it throws is told as an `error` event. */
export type ModelUseCountTracker = (modelId: string) => void;

/** A model that the registry does not list. */
export interface CustomAvailableModel {
  readonly id: string;
  readonly provider: string;
  readonly modelName: string;
  readonly hasApiKey?: boolean;
  readonly apiKeyEnvVar?: string;
}

/** Gives the models that the registry does not list. */
export type CustomModelCatalogProvider = () =>
  | readonly CustomAvailableModel[]
  | Promise<readonly CustomAvailableModel[]>;

export interface AvailableModel {
  readonly id: string;
  readonly provider: string;
  readonly modelName: string;
  readonly hasApiKey: boolean;
  readonly apiKeyEnvVar?: string;
  readonly useCount: number;
}

export interface ModelAuthStatus {
  readonly hasAuth: boolean;
  readonly apiKeyEnvVar?: string;
}

/** What models are told from. */
export interface ModelSources {
  readonly registry: Pick<ModelRegistry, 'models' | 'providers'>;
  readonly authChecker?: ModelAuthChecker;
  readonly useCounts?: () => ReturnType<ModelUseCountProvider> | Promise<ReturnType<ModelUseCountProvider>>;
  readonly customModels?: CustomModelCatalogProvider;
}

/** All models that are known, custom ones first where they have the same id, in the order of the registry. */
export async function listModels(sources: ModelSources): Promise<AvailableModel[]> {
  const counts = (await sources.useCounts?.()) ?? {};
  const custom = (await sources.customModels?.()) ?? [];
  const models = new Map<string, AvailableModel>();
  for (const { id, provider, model } of sources.registry.models()) {
    const { hasAuth, apiKeyEnvVar } = providerAuth(sources, provider);
    const key = apiKeyEnvVar === undefined ? {} : { apiKeyEnvVar };
    models.set(id, { id, provider, modelName: model, hasApiKey: hasAuth, ...key, useCount: counts[id] ?? 0 });
  }
  for (const model of custom) {
    const { hasAuth, apiKeyEnvVar } = providerAuth(sources, model.provider);
    const key = apiKeyEnvVar === undefined ? {} : { apiKeyEnvVar };
    models.set(model.id, { hasApiKey: hasAuth, ...key, useCount: counts[model.id] ?? 0, ...model });
  }
  return [...models.values()];
}

/** Whether a model can be used: as it is listed; one that is not listed as its provider, by the checker or the environment. */
export async function modelAuthStatus(sources: ModelSources, modelId: string): Promise<ModelAuthStatus> {
  if (modelId === '') return { hasAuth: false };
  const custom = (await sources.customModels?.())?.findLast(({ id }) => id === modelId);
  const model = custom ?? sources.registry.models().find(({ id }) => id === modelId);
  const auth = providerAuth(sources, model?.provider ?? modelId.split('/')[0] ?? '');
  const { hasApiKey: hasAuth = auth.hasAuth, apiKeyEnvVar = auth.apiKeyEnvVar } = custom ?? {};
  return { hasAuth, ...(apiKeyEnvVar !== undefined && { apiKeyEnvVar }) };
}

/** The name of a model for people: the last part of its id, "unknown" when there is none. */
export function modelName(modelId: string): string {
  return modelId.slice(modelId.lastIndexOf('/') + 1) || 'unknown';
}

function providerAuth(
  { registry, authChecker }: Pick<ModelSources, 'registry' | 'authChecker'>,
  provider: string,
): ModelAuthStatus {
  const known = registry.providers().find(({ id }) => id === provider);
  const hasAuth = authChecker?.(provider) ?? known?.configured ?? false;
  return { hasAuth, ...(known?.envVar !== undefined && { apiKeyEnvVar: known.envVar }) };
}

/** Which model each mode uses for as long as the harness lives, by mode. */
export type SessionModels = Readonly<Record<string, string>>;

/** The metadata key under which a thread keeps the model of a mode. */
export function modeModelKey(modeId: string): string {
  return `modeModelId_${modeId}`;
}

/** What a thread keeps of the models of modes. */
export function modeModelsIn(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => key.startsWith(modeModelKey(''))));
}

interface ModeModel {
  readonly id: string;
  readonly defaultModelId?: string | undefined;
}

/**
 * The model of a mode in a thread: what the thread keeps for the mode, what was chosen for the mode in this session, the
 * mode's default, what the thread used last; empty when none is known.
 */
export function modelOfMode(
  mode: ModeModel,
  {
    metadata = {},
    session = {},
  }: { readonly metadata?: Readonly<Record<string, unknown>>; readonly session?: SessionModels },
): string {
  const stored = metadata[modeModelKey(mode.id)];
  const last = metadata['currentModelId'];
  const found = [stored, session[mode.id], mode.defaultModelId, last].find(id => typeof id === 'string' && id !== '');
  return (found as string | undefined) ?? '';
}

export interface ModelSwitch {
  readonly modelId: string;
  readonly scope?: 'global' | 'thread';
  /** The mode it is chosen for; the current one when absent. */
  readonly modeId?: string;
}

export interface SwitchedModel {
  readonly session: SessionModels;
  /** What the thread is to keep; absent when the choice is for this session. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Whether the current model is another one now. */
  readonly isCurrent: boolean;
  readonly event: Extract<ProjectedEvent, { type: 'model_changed' }>;
}

/** What choosing a model comes to: it holds for this session; with scope `thread` it holds for the thread, which keeps it. */
export function switchModel(session: SessionModels, currentModeId: string, choice: ModelSwitch): SwitchedModel {
  const { modelId, scope, modeId = currentModeId } = choice;
  const isCurrent = modeId === currentModeId;
  return {
    session: scope === 'thread' ? session : { ...session, [modeId]: modelId },
    ...(scope === 'thread' && {
      metadata: { [modeModelKey(modeId)]: modelId, ...(isCurrent && { currentModelId: modelId }) },
    }),
    isCurrent,
    event: { type: 'model_changed', modelId, ...(scope && { scope }), modeId },
  };
}

/** The model of a type of subagent: its own, else the one for all; null when none was chosen. */
export function subagentModelId(state: Readonly<Record<string, unknown>>, agentType?: string): string | null {
  const own = agentType === undefined ? undefined : state[`subagentModelId_${agentType}`];
  const found = own ?? state['subagentModelId'];
  return typeof found === 'string' ? found : null;
}
