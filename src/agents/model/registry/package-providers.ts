import { SingletreeError } from '../../../base/singletree-error.ts';
import type { AiSdkModel, ModelFactory, ModelProvider, ProviderSettings } from '../../contract/model.ts';

/** A provider whose AI SDK package is loaded when it is installed. */
interface PackageProvider {
  readonly id: string;
  readonly name: string;
  readonly package: string;
  /** The function of the package that creates the provider. */
  readonly create: string;
  readonly envVar: string;
  readonly pricesId?: string;
}

const table: readonly PackageProvider[] = [
  {
    id: 'google',
    name: 'Google',
    package: '@ai-sdk/google',
    create: 'createGoogleGenerativeAI',
    envVar: 'GOOGLE_GENERATIVE_AI_API_KEY',
  },
  { id: 'mistral', name: 'Mistral', package: '@ai-sdk/mistral', create: 'createMistral', envVar: 'MISTRAL_API_KEY' },
  { id: 'groq', name: 'Groq', package: '@ai-sdk/groq', create: 'createGroq', envVar: 'GROQ_API_KEY' },
  { id: 'xai', name: 'xAI', package: '@ai-sdk/xai', create: 'createXai', envVar: 'XAI_API_KEY', pricesId: 'x-ai' },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    package: '@ai-sdk/deepseek',
    create: 'createDeepSeek',
    envVar: 'DEEPSEEK_API_KEY',
  },
  { id: 'azure', name: 'Azure OpenAI', package: '@ai-sdk/azure', create: 'createAzure', envVar: 'AZURE_API_KEY' },
  {
    id: 'amazon-bedrock',
    name: 'Amazon Bedrock',
    package: '@ai-sdk/amazon-bedrock',
    create: 'createAmazonBedrock',
    envVar: 'AWS_ACCESS_KEY_ID',
    pricesId: 'aws',
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    package: '@openrouter/ai-sdk-provider',
    create: 'createOpenRouter',
    envVar: 'OPENROUTER_API_KEY',
  },
  { id: 'cohere', name: 'Cohere', package: '@ai-sdk/cohere', create: 'createCohere', envVar: 'COHERE_API_KEY' },
  {
    id: 'cerebras',
    name: 'Cerebras',
    package: '@ai-sdk/cerebras',
    create: 'createCerebras',
    envVar: 'CEREBRAS_API_KEY',
  },
  {
    id: 'fireworks',
    name: 'Fireworks',
    package: '@ai-sdk/fireworks',
    create: 'createFireworks',
    envVar: 'FIREWORKS_API_KEY',
  },
  {
    id: 'togetherai',
    name: 'Together AI',
    package: '@ai-sdk/togetherai',
    create: 'createTogetherAI',
    envVar: 'TOGETHER_AI_API_KEY',
    pricesId: 'together',
  },
  {
    id: 'perplexity',
    name: 'Perplexity',
    package: '@ai-sdk/perplexity',
    create: 'createPerplexity',
    envVar: 'PERPLEXITY_API_KEY',
  },
];

/** Loads a package by name; not at build time, because it may not be installed. */
export type LoadPackage = (name: string) => Promise<Readonly<Record<string, unknown>>>;

const importPackage: LoadPackage = async name => (await import(name)) as Record<string, unknown>;

/** Returns the providers whose packages a project installs separately. */
export function packageProviders(load: LoadPackage = importPackage): ModelProvider[] {
  return table.map(({ package: packageName, create, ...provider }) => ({
    ...provider,
    load: settings => loadFactory({ id: provider.id, packageName, create, envVar: provider.envVar }, settings, load),
  }));
}

interface Factory {
  readonly id: string;
  readonly packageName: string;
  readonly create: string;
  readonly envVar: string;
}

async function loadFactory(
  { id, packageName, create, envVar }: Factory,
  { apiKey }: ProviderSettings,
  load: LoadPackage,
): Promise<ModelFactory> {
  let found: unknown;
  try {
    found = (await load(packageName))[create];
  } catch (cause) {
    throw new SingletreeError(
      'driver_missing',
      `Models of "${id}" need the package "${packageName}", which could not be loaded. Install it: npm install ${packageName}`,
      { details: { provider: id, package: packageName }, cause },
    );
  }
  if (typeof found !== 'function')
    throw new SingletreeError(
      'not_supported',
      `The package "${packageName}" has no "${create}". Install another version of it.`,
    );
  // Amazon's package reads its several variables itself.
  const options = envVar.startsWith('AWS_') ? {} : { apiKey };
  return (found as (options: object) => (model: string) => AiSdkModel)(options);
}
