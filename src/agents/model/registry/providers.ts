import type { ProviderSettings, ModelFactory, ModelProvider } from '../../contract/model.ts';
import { defined } from '../../../base/defined.ts';

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
