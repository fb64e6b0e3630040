import type { OptionFields } from '../../../base/options/check-options.ts';
import * as z from 'zod';
import { modelSpecifications } from '../specification/ai-sdk-model.ts';
import {
  callback,
  field,
  having,
  isObject,
  milliseconds,
  number,
  object,
  text,
} from '../../../base/options/option-fields.ts';
import type { RetryOptions } from '../../contract/model.ts';
import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';

/** A model, or its id. */
export const modelSource = () =>
  field(
    value => (typeof value === 'string' ? value !== '' : isModel(value)),
    'a model of specification v2, v3 or v4, or its id such as "anthropic/claude-sonnet-4-5"',
  );

/** Whether a value is a model of the AI SDK that can be used. */
function isModel(value: unknown): boolean {
  if (!isObject(value) || typeof value['doStream'] !== 'function') return false;
  return modelSpecifications.includes(String(value['specificationVersion']));
}

/** The schema of an option for the retries of a failed call. */
export const retryField = () =>
  z.strictObject({
    maxRetries: number().optional(),
    baseMs: milliseconds().optional(),
    maxMs: milliseconds().optional(),
    random: callback().optional(),
    delay: callback().optional(),
  } satisfies OptionFields<RetryOptions>);

/** The schema of an option for the settings of model calls. */
const settingsField = () =>
  z.strictObject({
    maxOutputTokens: number().optional(),
    temperature: number().optional(),
    stopSequences: z.array(z.string()).optional(),
    topP: number().optional(),
    topK: number().optional(),
    presencePenalty: number().optional(),
    frequencyPenalty: number().optional(),
    seed: number().optional(),
    headers: object().optional(),
    providerOptions: object().optional(),
  } satisfies OptionFields<ModelSettings>);

/** The options of every agent that calls a model. */
export const modelOptions = () => ({
  instructions: text().optional(),
  settings: settingsField().optional(),
  retry: retryField().optional(),
  registry: having(['resolve'], 'what `createModelRegistry` returns').optional(),
});

/** Names the agent in an error about its options. */
export function agentNamed({ id }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof id === 'string' ? `The agent "${id}"` : undefined;
}

/** The settings of a model call: the options of an AI SDK model other than the prompt and the tools. */
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
 * Returns the settings of a call. Unless they specify it, the provider stores no data: the log is the only store.
 */
export function callSettings(settings: ModelSettings = {}): ModelSettings {
  const { providerOptions } = settings;
  return {
    ...settings,
    providerOptions: { ...providerOptions, openai: { store: false, ...providerOptions?.['openai'] } },
  };
}
