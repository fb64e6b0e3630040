import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelRegistry } from '../../agents/contract/model.ts';
import { modelFailure } from '../../agents/model/call/failure.ts';
import { isSet, StoredProviders } from '../../config/stored-providers.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import {
  type ModelProviderBody,
  modelProviderBody,
  type ModelProviderInfo,
  type ModelProviderTest,
} from '../../protocols/http-settings.ts';
import { configuredRegistry, findModelServers, offeredModels } from '../coder.ts';
import type { Settings } from './settings.ts';

const answerMs = 30_000;

/** Stores, tests and removes provider keys and model servers for all user interfaces. */
export class ProviderSettings {
  readonly #settings: Pick<Settings, 'config' | 'home'>;
  readonly #stored: StoredProviders;
  readonly #onChange: () => Promise<void>;

  /** `onChange` is awaited after each change. */
  constructor(settings: Pick<Settings, 'config' | 'home'>, onChange: () => Promise<void> = () => Promise.resolve()) {
    this.#settings = settings;
    this.#stored = new StoredProviders(settings.home);
    this.#onChange = onChange;
  }

  /** Returns every provider that can have a key, and every server of models that is known. */
  async list(): Promise<ModelProviderInfo[]> {
    const servers = await findModelServers(this.#settings.home);
    const stored = this.#stored.servers();
    const configured = this.#settings.config.models?.providers ?? [];
    return configuredRegistry(this.#settings, servers)
      .providers()
      .map(({ id, name, envVar: variable }) => {
        const models = servers.find(({ provider }) => provider.id === id)?.models;
        const own = stored[id];
        const hasKey = variable !== undefined && this.#stored.keyFor(variable) !== undefined;
        const isConfigured = configured.some(provider => provider.id === id && provider.keyVariable === undefined);
        const source = isConfigured
          ? 'configuration'
          : own !== undefined
            ? 'stored'
            : variable === undefined
              ? 'found'
              : isSet(process.env[variable])
                ? 'environment'
                : hasKey
                  ? 'stored'
                  : 'none';
        return {
          id,
          name,
          source,
          isStored: own !== undefined || hasKey,
          ...defined({ variable, baseURL: own?.baseURL, models: models && [...models] }),
        };
      });
  }

  /** Stores a key or a server. Throws `invalid_argument` when it is neither. */
  async store(provider: ModelProviderBody): Promise<void> {
    const { success, error } = modelProviderBody.safeParse(provider);
    // The message states the expected input and never repeats the key.
    if (!success) throw invalid(`The provider is invalid: ${error.issues[0]?.message ?? ''}.`);
    const { id, key, baseURL, name } = provider;
    const known = this.#providers().find(each => each.id === id);
    const isOwn = Object.hasOwn(this.#stored.servers(), id);
    if (baseURL !== undefined) {
      if (known !== undefined && !isOwn)
        throw invalid(`"${id}" is a provider already: choose another id for the server.`);
      const { username, password } = new URL(baseURL);
      if (username !== '' || password !== '')
        throw invalid('The address has a name or a password in it: enter the key instead.');
      this.#stored.storeServer(id, { baseURL, ...defined({ name, key }) });
    } else {
      if (known?.envVar === undefined)
        throw invalid(`"${id}" is not a provider with a key. Expected one of: ${this.#withKeys().join(', ')}.`);
      if (key === undefined) throw invalid(`The key of "${id}" is missing.`);
      this.#stored.storeKey(known.envVar, key);
    }
    await this.#onChange();
  }

  /** Removes a stored key or server; throws `not_found` when nothing is stored. */
  async remove(id: string): Promise<void> {
    const variable = this.#providers().find(provider => provider.id === id)?.envVar;
    const isRemoved = this.#stored.removeServer(id) || (variable !== undefined && this.#stored.removeKey(variable));
    if (!isRemoved) throw new SingletreeError('not_found', `Nothing is stored for the provider "${id}".`);
    await this.#onChange();
  }

  /** Requests one short answer from a provider with its current key. */
  async test(id: string): Promise<ModelProviderTest> {
    const servers = await findModelServers(this.#settings.home);
    const registry = configuredRegistry(this.#settings, servers);
    if (!registry.providers().some(provider => provider.id === id))
      throw new SingletreeError('not_found', `There is no provider "${id}".`);
    const start = performance.now();
    const elapsed = () => Math.round(performance.now() - start);
    const model =
      offeredModels(this.#settings.config, registry, servers).find(each => each.startsWith(`${id}/`)) ??
      registry.models().find(({ provider }) => provider === id)?.id;
    if (model === undefined)
      return { isWorking: false, ms: elapsed(), problem: 'It does not answer with a list of models.' };
    try {
      await askBriefly(await registry.resolve(model));
      return { isWorking: true, model, ms: elapsed() };
    } catch (error) {
      const { message } = modelFailure(error, id, registry);
      return { isWorking: false, model, ms: elapsed(), problem: registry.hideKeys?.(message) ?? message };
    }
  }

  #providers(): ReturnType<ModelRegistry['providers']> {
    return configuredRegistry(this.#settings).providers();
  }

  #withKeys(): string[] {
    return this.#providers().flatMap(({ id, envVar }) => (envVar === undefined ? [] : [id]));
  }
}

/** Throws what the provider reports; 16 is the fewest tokens that every provider accepts. */
async function askBriefly(model: LanguageModelV3): Promise<void> {
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Say ok.' }] }],
    maxOutputTokens: 16,
    abortSignal: AbortSignal.timeout(answerMs),
  });
  for await (const part of stream) if (part.type === 'error') throw part.error;
}

function invalid(message: string): SingletreeError {
  return new SingletreeError('invalid_argument', message);
}
