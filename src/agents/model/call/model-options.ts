import { field, having, isObject, object, text } from '../../../events/options/option-fields.ts';

/** A model, or its id. */
export const modelSource = () =>
  field(
    value => (typeof value === 'string' ? value !== '' : isObject(value) && typeof value['doStream'] === 'function'),
    'a model, or its id such as "anthropic/claude-sonnet-4-5"',
  );

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
