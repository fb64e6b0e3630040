import { missingBaseURL, missingKey } from './registry-errors.ts';
import type { ModelProvider, ProviderSettings } from '../../contract/model.ts';
import { defined } from '../../../base/defined.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the key and the base URL of a provider; throws `missing_api_key` or `missing_base_url` when a required one is
 * not set.
 */
export function settingsOf(provider: ModelProvider, env: Environment): ProviderSettings {
  const { apiKey, baseURL } = read(provider, env);
  if (provider.envVar !== undefined && apiKey === undefined) throw missingKey(provider.id, provider.envVar);
  if (provider.baseURLVar !== undefined && baseURL === undefined)
    throw missingBaseURL(provider.id, provider.baseURLVar);
  return { ...defined({ apiKey, baseURL }) };
}

/** Whether all required settings of the provider are set. */
export function isReady(provider: ModelProvider, env: Environment): boolean {
  const { apiKey, baseURL } = read(provider, env);
  const hasKey = provider.envVar === undefined || apiKey !== undefined;
  return hasKey && (provider.baseURLVar === undefined || baseURL !== undefined);
}

function read(provider: ModelProvider, env: Environment) {
  return { apiKey: variable(provider.envVar, env), baseURL: variable(provider.baseURLVar, env) ?? provider.baseURL };
}

/** A blank variable counts as not set. */
function variable(name: string | undefined, env: Environment): string | undefined {
  const value = name === undefined ? undefined : env[name]?.trim();
  return value === '' ? undefined : value;
}
