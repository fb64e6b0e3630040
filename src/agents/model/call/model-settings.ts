import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';

/** The settings of a model call: what an AI SDK model accepts beside the prompt and the tools. */
export type ModelSettings = Pick<
  LanguageModelV3CallOptions,
  | 'maxOutputTokens'
  | 'temperature'
  | 'stopSequences'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'seed'
  | 'headers'
  | 'providerOptions'
>;

/**
 * Returns the settings of a call. Unless they say otherwise, the provider stores nothing: the log is the only store.
 */
export function callSettings(settings: ModelSettings = {}): ModelSettings {
  const { providerOptions } = settings;
  return {
    ...settings,
    providerOptions: { ...providerOptions, openai: { store: false, ...providerOptions?.['openai'] } },
  };
}
