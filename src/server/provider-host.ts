import type { ModelProviderBody, ModelProviderInfo, ModelProviderTest } from '../protocols/http-settings.ts';

/** Stores and tests the keys of providers for a server. What it returns never contains a key. */
export interface ProviderHost {
  list(): Promise<readonly ModelProviderInfo[]>;
  /** Stores a key or a server; agents use it from their next call on. Throws `invalid_argument` for what is not a provider. */
  store(provider: ModelProviderBody): Promise<void>;
  /** Asks the provider for one short answer; throws `not_found` for an unknown provider. */
  test(id: string): Promise<ModelProviderTest>;
  /** Removes what was stored; throws `not_found` when nothing was. */
  remove(id: string): Promise<void>;
}
