import { defined } from '../../../base/defined.ts';
import type { ModelRegistry } from '../../../agents/contract/model.ts';
import type { ProjectedEvent } from '../harness-event.ts';

/** Whether the models of a provider are usable; undefined leaves the decision to the environment. */
export type ModelAuthChecker = (provider: string) => boolean | undefined;

/** How often each model was used, by id. */
export type ModelUseCountProvider = () => Readonly<Record<string, number>>;

/** Receives the id of each chosen model. An error that it throws is emitted as an `error` event. */
export type ModelUseCountTracker = (modelId: string) => void;

/** A model that the registry does not list. */
export interface CustomAvailableModel {
  readonly id: string;
  readonly provider: string;
  readonly modelName: string;
  readonly hasApiKey?: boolean;
  readonly apiKeyEnvVar?: string;
}

/** Returns models that the registry does not list. */
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

/** The sources of the model list. */
export interface ModelSources {
  readonly registry: Pick<ModelRegistry, 'models' | 'providers'>;
  readonly authChecker?: ModelAuthChecker;
  readonly useCounts?: () => ReturnType<ModelUseCountProvider> | Promise<ReturnType<ModelUseCountProvider>>;
  readonly customModels?: CustomModelCatalogProvider;
}

/** Lists all models in registry order; a custom model replaces one with the same id. */
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

/** Whether a model is usable: as listed; for an unlisted model, as its provider. */
export async function modelAuthStatus(sources: ModelSources, modelId: string): Promise<ModelAuthStatus> {
  if (modelId === '') return { hasAuth: false };
  const custom = (await sources.customModels?.())?.findLast(({ id }) => id === modelId);
  const model = custom ?? sources.registry.models().find(({ id }) => id === modelId);
  const auth = providerAuth(sources, model?.provider ?? modelId.split('/')[0] ?? '');
  const { hasApiKey: hasAuth = auth.hasAuth, apiKeyEnvVar = auth.apiKeyEnvVar } = custom ?? {};
  return { hasAuth, ...defined({ apiKeyEnvVar }) };
}

/** The display name of a model: the last part of its id, "unknown" for an empty one. */
export function modelName(modelId: string): string {
  return modelId.slice(modelId.lastIndexOf('/') + 1) || 'unknown';
}

function providerAuth(
  { registry, authChecker }: Pick<ModelSources, 'registry' | 'authChecker'>,
  provider: string,
): ModelAuthStatus {
  const known = registry.providers().find(({ id }) => id === provider);
  const hasAuth = authChecker?.(provider) ?? known?.configured ?? false;
  return { hasAuth, ...defined({ apiKeyEnvVar: known?.envVar }) };
}

/** The model of each mode for this session. */
export type SessionModels = Readonly<Record<string, string>>;

/** The metadata key of a mode's model. */
export function modeModelKey(modeId: string): string {
  return `modeModelId_${modeId}`;
}

/** The metadata key of the model that was chosen for a thread; modes write their defaults under their own keys, too. */
export const chosenModelKey = 'chosenModelId';

/** Picks the mode models and the chosen model of a thread's metadata. */
export function modeModelsIn(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isModel = (key: string) => key.startsWith(modeModelKey('')) || key === chosenModelKey;
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => isModel(key)));
}

interface ModeModel {
  readonly id: string;
  readonly defaultModelId?: string | undefined;
}

/**
 * The model of a mode in a thread: the stored one, the one of this session, the mode's default, the last one of the
 * thread; empty when all are missing.
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
  /** The mode it applies to; the current one by default. */
  readonly modeId?: string;
}

export interface SwitchedModel {
  readonly session: SessionModels;
  /** The metadata to store; absent for a session choice. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Whether it changes the current model. */
  readonly isCurrent: boolean;
  readonly event: Extract<ProjectedEvent, { type: 'model_changed' }>;
}

/** Computes the effect of a model choice: for this session, or, with scope `thread`, stored in the thread. */
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

/** The model of a subagent type, else the one for all types; null when none is chosen. */
export function subagentModelId(state: Readonly<Record<string, unknown>>, agentType?: string): string | null {
  const own = agentType === undefined ? undefined : state[`subagentModelId_${agentType}`];
  const found = own ?? state['subagentModelId'];
  return typeof found === 'string' ? found : null;
}
