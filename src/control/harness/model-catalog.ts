import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelRegistry } from '../../agents/model/registry.ts';
import type { HarnessConfig } from './harness-config.ts';
import type { CustomAvailableModel, ModelSources } from './models.ts';

type CatalogOptions = Pick<
  HarnessConfig,
  'resolveModel' | 'modelAuthChecker' | 'modelUseCountProvider' | 'modelUseCountTracker' | 'customModelCatalogProvider'
>;

/** The models that a harness can use, with what the program that made it knows of them. */
export class ModelCatalog {
  readonly #options: CatalogOptions;
  readonly #onError: (error: unknown) => void;

  constructor(options: CatalogOptions, onError: (error: unknown) => void) {
    this.#options = options;
    this.#onError = onError;
  }

  /** It is loaded when it is first needed. */
  async registry(): Promise<ModelRegistry> {
    const { createModelRegistry } = await import('../../agents/model/registry.ts');
    const registry = createModelRegistry();
    const { resolveModel } = this.#options;
    return resolveModel === undefined ? registry : { ...registry, resolve: async modelId => resolveModel(modelId) };
  }

  async resolve(modelId: string | undefined): Promise<LanguageModelV3 | undefined> {
    return modelId === undefined ? undefined : (await this.registry()).resolve(modelId);
  }

  /** Tells the program which model was chosen; that it fails does not undo the choice. */
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
      ...(modelAuthChecker && { authChecker: modelAuthChecker }),
      ...(modelUseCountProvider && { useCounts: modelUseCountProvider }),
      ...(customModelCatalogProvider && { customModels: () => this.#customModels() }),
    };
  }

  /** That a catalog cannot be read does not hide the other models. */
  async #customModels(): Promise<readonly CustomAvailableModel[]> {
    try {
      return (await this.#options.customModelCatalogProvider?.()) ?? [];
    } catch (error) {
      this.#onError(error);
      return [];
    }
  }
}
