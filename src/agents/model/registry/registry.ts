import type { ModelRegistry, CompatibleProvider, ModelFactory, ModelProvider } from '../../contract/model.ts';
import * as z from 'zod';
import { optionsCheck } from '../../../base/options/check-options.ts';
import { callback, object } from '../../../base/options/option-fields.ts';
import { asModelV3 } from '../specification/ai-sdk-model.ts';
import { getCost, pricedModel, pricedModels } from '../prices/prices.ts';
import { bareModelId, invalidId, splitModelId, unknownProvider } from './registry-errors.ts';
import { builtInProviders, compatibleProvider, type Environment, isReady, getSettings } from './providers.ts';
import { packageProviders } from './package-providers.ts';
import { defined } from '../../../base/defined.ts';

export interface ModelRegistryOptions {
  /** The source of keys and base URLs, read each time they are needed. Default: the environment of the process. */
  env?: Environment;
  /** Further providers; one with the id of a built-in provider replaces it. */
  providers?: readonly (ModelProvider | CompatibleProvider)[];
  /** The time of price lookups. Default: the clock. */
  now?: () => Date;
}

const checkOptions = optionsCheck<ModelRegistryOptions>('createModelRegistry')(() => ({
  env: object().optional(),
  providers: z.array(z.looseObject({ id: z.string() })).optional(),
  now: callback().optional(),
}));

/** Creates a registry with the built-in providers. Loads no provider package and does no network access. */
export function createModelRegistry(options: ModelRegistryOptions = {}): ModelRegistry {
  checkOptions(options);
  const { env = process.env, now = () => new Date() } = options;
  const known = new Map<string, ModelProvider>();
  const loaded = new Map<string, { settings: string; factory: Promise<ModelFactory> }>();

  const register: ModelRegistry['register'] = provider => {
    if (!/^[\w.-]+$/.test(provider.id)) throw invalidId(provider.id);
    known.set(provider.id, 'load' in provider ? provider : compatibleProvider(provider));
    loaded.delete(provider.id);
  };
  const split = (modelId: string) => {
    const { provider: id, model } = splitModelId(modelId.includes('/') ? modelId : fullId(modelId));
    const provider = known.get(id);
    if (provider === undefined) throw unknownProvider(modelId, id, [...known.keys()]);
    return { provider, model, priceKey: { provider: provider.pricesId ?? id, model } };
  };
  /** The full id of a model that exactly one configured provider has. A server whose models are not listed has any. */
  const fullId = (model: string): string => {
    const all = [...known.values()];
    const ready = all.filter(provider => isReady(provider, env));
    const listing = all.filter(({ id, pricesId = id }) => pricedModel({ provider: pricesId, model }, now()));
    const isUnlisted = ({ id, pricesId = id }: ModelProvider) => pricedModels(pricesId, now()).length === 0;
    const unlisted = known.has(model) ? [] : ready.filter(isUnlisted);
    const configured = listing.length === 0 ? unlisted : listing.filter(provider => ready.includes(provider));
    const [only] = configured;
    if (only !== undefined && configured.length === 1) return `${only.id}/${model}`;
    throw bareModelId(
      model,
      (configured.length > 0 ? configured : listing).map(({ id }) => `${id}/${model}`),
      configured.length > 0,
    );
  };
  const loadFactory = (provider: ModelProvider) => {
    const settings = getSettings(provider, env);
    const key = JSON.stringify(settings);
    const before = loaded.get(provider.id);
    if (before?.settings === key) return before.factory;
    const factory = Promise.resolve(provider.load(settings));
    factory.catch(() => loaded.delete(provider.id));
    loaded.set(provider.id, { settings: key, factory });
    return factory;
  };

  for (const provider of [...builtInProviders, ...packageProviders(), ...(options.providers ?? [])]) register(provider);

  return {
    register,
    async resolve(modelId) {
      const { provider, model } = split(modelId);
      return asModelV3((await loadFactory(provider))(model));
    },
    providers: () =>
      [...known.values()].map(provider => ({
        id: provider.id,
        name: provider.name ?? provider.id,
        ...defined({ envVar: provider.envVar }),
        configured: isReady(provider, env),
      })),
    models: () =>
      [...known.values()].flatMap(({ id, pricesId = id }) =>
        pricedModels(pricesId, now()).map(priced => ({ id: `${id}/${priced.model}`, provider: id, ...priced })),
      ),
    model(modelId) {
      const { provider, priceKey } = split(modelId);
      const priced = pricedModel(priceKey, now());
      return priced && { id: modelId, provider: provider.id, ...priced };
    },
    isConfigured(modelId) {
      try {
        return isReady(split(modelId).provider, env);
      } catch {
        return false; // It names no provider that is known.
      }
    },
    getEnvVar: modelId => split(modelId).provider.envVar,
    getPrice: (modelId, usage) => getCost(split(modelId).priceKey, usage, now()),
  };
}
