import type { ModelSource, ModelRegistry } from '../../contract/model.ts';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { asModelV3 } from '../specification/ai-sdk-model.ts';
import { createModelRegistry } from './registry.ts';

/** Returns the model itself; an id is resolved by the registry, by default the one of the environment. */
export async function resolveModel(source: ModelSource, registry?: ModelRegistry): Promise<LanguageModelV3> {
  return asModelV3(typeof source === 'string' ? await (registry ?? createModelRegistry()).resolve(source) : source);
}

/** Rejects an id that names no model of a registry; a missing key is no reason. */
export async function checkModelId(modelId: string, registry: ModelRegistry): Promise<void> {
  try {
    await registry.resolve(modelId);
  } catch (error) {
    if (SingletreeError.is(error, 'unknown_provider') || SingletreeError.is(error, 'invalid_argument')) throw error;
  }
}
