import { modelSpecifications } from '../specification/ai-sdk-model.ts';
import { field, having, isObject, object, text } from '../../../events/options/option-fields.ts';

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

/** The options of every agent that calls a model. */
export const modelOptions = () => ({
  instructions: text().optional(),
  settings: object().optional(),
  retry: object().optional(),
  registry: having(['resolve'], 'what `createModelRegistry` returns').optional(),
});

/** Names the agent in an error about its options. */
export function agentNamed({ id }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof id === 'string' ? `The agent "${id}"` : undefined;
}
