import { isObject, object, optional, type OptionCheck, text } from '../../check-options.ts';

/** A model, or its id. */
export const modelSource: OptionCheck = {
  fits: value =>
    typeof value === 'string' ? value !== '' : isObject(value) && typeof value['doStream'] === 'function',
  expected: 'a model, or its id such as "anthropic/claude-sonnet-4-5"',
};

/** The options that all agents with a model have. */
export const modelOptions = {
  instructions: optional(text),
  settings: optional(object),
  retry: optional(object),
  registry: optional({
    fits: value => isObject(value) && typeof value['resolve'] === 'function',
    expected: 'a registry made by `createModelRegistry`',
  }),
};
