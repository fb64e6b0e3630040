import type { LanguageModelV3 } from '@ai-sdk/provider';

export interface RetryOptions {
  /** The number of retries of a failed call. Default: 4. */
  readonly maxRetries?: number;
  /** The delay before the first retry in milliseconds, doubled each time. Default: 500. */
  readonly baseMs?: number;
  /** The longest delay. Default: 30,000. When the service asks for a longer one, the call fails. */
  readonly maxMs?: number;
  /** A number from 0 to 1, for jitter. */
  readonly random?: () => number;
  /** Waits, and rejects when the signal aborts. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** A model of the AI SDK, or its `provider/model` id. */
export type ModelSource = AiSdkModel | string;

/** A language model of the AI SDK, of specification v2, v3 or v4, by its structure: no version of the SDK is needed. */
export interface AiSdkModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: PromiseLike<Record<string, RegExp[]>> | Record<string, RegExp[]>;
  doGenerate(options: never): PromiseLike<object>;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** The settings that a provider is created from; the registry reads them from the environment. */
export interface ProviderSettings {
  readonly apiKey?: string;
  readonly baseURL?: string;
}

/** Creates a model by name. */
export type ModelFactory = (model: string) => AiSdkModel;

/** A provider of models. */
export interface ModelProvider {
  /** The part before the slash in `provider/model`. */
  readonly id: string;
  readonly name?: string;
  /** The environment variable that holds the key; absent when no key is needed. */
  readonly envVar?: string;
  readonly baseURL?: string;
  /** The environment variable that replaces `baseURL`. */
  readonly baseURLVar?: string;
  /** The provider's id in the price list, when it differs. */
  readonly pricesId?: string;
  /** Loads the factory of the models; called once for the same settings. */
  load(settings: ProviderSettings): ModelFactory | Promise<ModelFactory>;
}

/** A server that implements OpenAI's chat completions at a base URL. */
export type CompatibleProvider = Omit<ModelProvider, 'load'> & { readonly baseURL: string };

/** Token counts as the `usage` event reports them: input includes cached tokens, output includes reasoning. */
export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
}

/** US dollars for a million tokens, before any surcharge for long prompts. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** A model of the price list. */
export interface PricedModel {
  readonly model: string;
  readonly name?: string;
  readonly contextWindow?: number;
  readonly prices?: TokenPrices;
}

/** A provider and whether its models can be used now. */
export interface ProviderInfo {
  readonly id: string;
  readonly name: string;
  /** The environment variable that holds the key; absent when no key is needed. */
  readonly envVar?: string;
  readonly configured: boolean;
}

/** A known model; `id` is valid for `resolve`. */
export interface ModelInfo extends PricedModel {
  readonly id: string;
  readonly provider: string;
}

/** The available models, by `provider/model`. */
export interface ModelRegistry {
  /** Adds a provider, or replaces the one with its id. */
  register(provider: ModelProvider | CompatibleProvider): void;
  /**
   * Resolves the model of an id. Rejects with `unknown_provider`, `missing_api_key` or `missing_base_url`, never with a
   * key in the text.
   */
  resolve(modelId: string): Promise<LanguageModelV3>;
  providers(): ProviderInfo[];
  /** The models of the price list; a provider may have others. */
  models(): ModelInfo[];
  /** Returns the price list entry of a model, also for a dated name; undefined when the list has none. */
  model(modelId: string): ModelInfo | undefined;
  /** Whether the key and the base URL that the model's provider needs are set; false for an unknown provider. */
  isConfigured(modelId: string): boolean;
  /** The environment variable that holds the key for a model; throws `unknown_provider`. */
  getEnvVar(modelId: string): string | undefined;
  /** Redacts keys in provider messages before they are stored in a log; absent when the registry has no keys. */
  hideKeys?(text: string): string;
  /** Returns the cost in US dollars; undefined when the price list does not contain the model. */
  getPrice(modelId: string, usage: TokenCounts): number | undefined;
}
