import { checkFields, invalid, isObject, type OptionCheck, text, wordsFor } from '../check-options.ts';
import type { Tool } from './tool.ts';

const fields = {
  name: {
    // The names that every provider accepts.
    fits: value => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
    expected: '1 to 64 letters, digits, _ and -',
  },
  description: {
    fits: value => typeof value === 'string' || typeof value === 'function',
    expected: 'a string, or a function that returns one',
  },
  input: {
    // Some libraries implement their schemas as functions.
    fits: value => (isObject(value) || typeof value === 'function') && '~standard' in value,
    expected: 'a zod schema, or another Standard Schema together with `inputJsonSchema`',
  },
  execute: { fits: value => typeof value === 'function', expected: 'a function' },
} satisfies Partial<Record<keyof Tool, OptionCheck>>;

/** Throws `invalid_argument` when a value is not a tool that can be offered to a model. */
export function checkTool(tool: unknown): void {
  check(tool, fields);
}

const callable = { ...fields, name: text };

/**
 * Throws `invalid_argument` when a value is not a tool that code can call. Its name may be one that no provider
 * accepts.
 */
export function checkCallable(tool: unknown): void {
  check(tool, callable);
}

function check(tool: unknown, checks: Readonly<Record<string, OptionCheck>>): void {
  if (!isObject(tool))
    throw invalid(
      `A tool is ${wordsFor(tool)}: expected an object with \`name\`, \`description\`, \`input\` and \`execute\`.`,
    );
  const { name } = tool;
  checkFields(typeof name === 'string' ? `The tool "${name}"` : 'A tool', tool, checks);
}
