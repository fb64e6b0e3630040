import type { ProviderSettings, ModelFactory, ModelProvider } from '../../contract/model.ts';
import { defined } from '../../../base/defined.ts';
import { missingBaseURL, missingKey } from './registry-errors.ts';

/** Returns a compatible server as a provider. */
export function compatibleProvider(provider: Omit<ModelProvider, 'load'>): ModelProvider {
  return { ...provider, load: settings => loadCompatible(provider.id, settings) };
}

/** The built-in providers; each loads its package when a model is first resolved. */
export const builtInProviders: readonly ModelProvider[] = [
  {
    id: 'anthropic',
    name: 'Anthropic',
    envVar: 'ANTHROPIC_API_KEY',
    baseURL: 'https://api.anthropic.com/v1',
    baseURLVar: 'ANTHROPIC_BASE_URL',
    async load({ apiKey = '', baseURL = '' }) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey, baseURL: withVersion(baseURL) });
    },
  },
  {
    id: 'openai',
    name: 'OpenAI',
    envVar: 'OPENAI_API_KEY',
    baseURL: 'https://api.openai.com/v1',
    baseURLVar: 'OPENAI_BASE_URL',
    async load(settings) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI(settings);
    },
  },
  compatibleProvider({
    id: 'openai-compatible',
    name: 'OpenAI-compatible server',
    envVar: 'OPENAI_COMPATIBLE_API_KEY',
    baseURLVar: 'OPENAI_COMPATIBLE_BASE_URL',
  }),
];

async function loadCompatible(name: string, { apiKey, baseURL = '' }: ProviderSettings): Promise<ModelFactory> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({ name, baseURL, includeUsage: true, ...defined({ apiKey }) });
}

/** Anthropic's own tools write the base URL without the version, which the provider package expects. */
function withVersion(baseURL: string): string {
  const trimmed = baseURL.replace(/\/+$/, '');
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the key and the base URL of a provider; throws `missing_api_key` or `missing_base_url` when a required one is
 * not set.
 */
export function getSettings(provider: ModelProvider, env: Environment): ProviderSettings {
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
