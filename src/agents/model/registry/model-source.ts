import type { LanguageModelV3 } from '@ai-sdk/provider';
import { type AiSdkModel, asModelV3 } from '../specification/ai-sdk-model.ts';
import { createModelRegistry, type ModelRegistry } from './registry.ts';

/** A model of the AI SDK, or its `provider/model` id. */
export type ModelSource = AiSdkModel | string;

/** Returns the model itself; an id is resolved by the registry, by default the one of the environment. */
export async function resolveModel(source: ModelSource, registry?: ModelRegistry): Promise<LanguageModelV3> {
  return asModelV3(typeof source === 'string' ? await (registry ?? createModelRegistry()).resolve(source) : source);
}
