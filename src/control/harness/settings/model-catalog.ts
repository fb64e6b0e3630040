import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { Agent } from '../../../agents/contract/agent.ts';
import type { ModelRegistry } from '../../../agents/contract/model.ts';
import { asModelV3 } from '../../../agents/model/specification/ai-sdk-model.ts';
import type { HarnessConfig } from '../harness-config.ts';
import type { ModelAuthChecker, ModelSources } from './models.ts';

type CatalogOptions = Pick<
  HarnessConfig,
  'resolveModel' | 'modelAuthChecker' | 'modelUseCountProvider' | 'modelUseCountTracker' | 'customModelCatalogProvider'
>;

/** The available models, with the callbacks of the application. */
export class ModelCatalog {
  readonly #options: CatalogOptions;
  readonly #onError: (error: unknown) => void;

  constructor(options: CatalogOptions, onError: (error: unknown) => void) {
    this.#options = options;
    this.#onError = onError;
  }

  /** Loaded on first use. */
  async registry(): Promise<ModelRegistry> {
    const { createModelRegistry } = await import('../../../agents/model/registry/registry.ts');
    const registry = createModelRegistry();
    const { resolveModel } = this.#options;
    return resolveModel === undefined
      ? registry
      : { ...registry, resolve: async modelId => asModelV3(await resolveModel(modelId)) };
  }

  async resolve(modelId: string | undefined): Promise<LanguageModelV3 | undefined> {
    return modelId === undefined ? undefined : (await this.registry()).resolve(modelId);
  }

  /** Rejects a model id that neither the application nor the agent knows. */
  async check(modelId: string, agent: Pick<Agent, 'checkModel'>): Promise<void> {
    if (this.#options.resolveModel !== undefined || agent.checkModel === undefined) return;
    const { customModels } = await this.sources();
    const isCustom = (await customModels?.())?.some(({ id }) => id === modelId) === true;
    if (!isCustom) await agent.checkModel(modelId, await this.registry());
  }

  /** Reports the chosen model to the application; a failure does not undo the choice. */
  async track(modelId: string): Promise<void> {
    try {
      const tracked: unknown = this.#options.modelUseCountTracker?.(modelId);
      await tracked;
    } catch (error) {
      this.#onError(error);
    }
  }

  async sources(): Promise<ModelSources> {
    const { modelAuthChecker, modelUseCountProvider, customModelCatalogProvider } = this.#options;
    return {
      registry: await this.registry(),
      ...(modelAuthChecker && { authChecker: this.#checker(modelAuthChecker) }),
      ...(modelUseCountProvider && { useCounts: () => this.#askProvider(modelUseCountProvider, {}) }),
      ...(customModelCatalogProvider && { customModels: () => this.#askProvider(customModelCatalogProvider, []) }),
    };
  }

  /** Asks the application once per provider; after a failure the environment decides. */
  #checker(check: ModelAuthChecker): ModelAuthChecker {
    const known = new Map<string, boolean | undefined>();
    return provider => {
      try {
        if (!known.has(provider)) known.set(provider, undefined).set(provider, check(provider));
      } catch (error) {
        this.#onError(error);
      }
      return known.get(provider);
    };
  }

  /** Calls the application; a failure does not hide the other models. */
  async #askProvider<Value>(ask: () => Value | Promise<Value>, none: Value): Promise<Value> {
    try {
      return await ask();
    } catch (error) {
      this.#onError(error);
      return none;
    }
  }
}
