import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';

/** How a model answers: what an AI SDK model takes beside the prompt and the tools. */
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

/** The settings of a call. Nothing of it is kept by the provider unless they say so: the log is the only store. */
export function callSettings(settings: ModelSettings = {}): ModelSettings {
  const { providerOptions } = settings;
  return {
    ...settings,
    providerOptions: { ...providerOptions, openai: { store: false, ...providerOptions?.['openai'] } },
  };
}
