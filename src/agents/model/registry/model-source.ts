import type { LanguageModelV3 } from '@ai-sdk/provider';
import { createModelRegistry, type ModelRegistry } from './registry.ts';

/** A model, or its `provider/model` id. */
export type ModelSource = LanguageModelV3 | string;

/** Returns the model itself; an id is resolved by the registry, by default the one of the environment. */
export async function resolveModel(source: ModelSource, registry?: ModelRegistry): Promise<LanguageModelV3> {
  return typeof source === 'string' ? (registry ?? createModelRegistry()).resolve(source) : source;
}
