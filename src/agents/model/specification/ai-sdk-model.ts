import type { LanguageModelV3 } from '@ai-sdk/provider';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { convertedModel } from './converted-model.ts';
import type { AiSdkModel } from '../../contract/model.ts';
import { fromV2 } from './v2-model.ts';
import { fromV4 } from './v4-model.ts';

/** The specifications of a model that can be used. */
export const modelSpecifications: readonly string[] = ['v2', 'v3', 'v4'];

const conversions = { v2: fromV2, v4: fromV4 } as const;
const converted = new WeakMap<object, LanguageModelV3>();

/** Returns a model as one of specification v3; the same object each time. Throws `invalid_argument` for another one. */
export function asModelV3(model: AiSdkModel): LanguageModelV3 {
  const version = model.specificationVersion;
  if (version === 'v3') return model as unknown as LanguageModelV3;
  const known = converted.get(model);
  if (known !== undefined) return known;
  if (!modelSpecifications.includes(version))
    throw new SingletreeError(
      'invalid_argument',
      `The model "${model.provider}/${model.modelId}" has the specification ${JSON.stringify(version)}. Expected one of ${modelSpecifications.join(', ')}: update its provider package.`,
    );
  const made = convertedModel(model, conversions[version]);
  converted.set(model, made);
  return made;
}
