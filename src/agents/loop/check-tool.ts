import * as z from 'zod';
import { once } from '../../events/define.ts';
import { checkValue, invalidArgument, wordsFor } from '../../events/options/check-options.ts';
import { callback, field, isObject, text } from '../../events/options/option-fields.ts';
import type { Tool } from './tool.ts';

/** What every provider accepts as the name of a tool. */
const toolName = /^[\w-]{1,64}$/;

const fields = () =>
  ({
    name: field(value => typeof value === 'string' && toolName.test(value), '1 to 64 letters, digits, _ and -'),
    description: field(
      value => typeof value === 'string' || typeof value === 'function',
      'a string, or a function that returns one',
    ),
    input: field(
      // The schemas of some libraries are functions.
      value => (isObject(value) || typeof value === 'function') && '~standard' in value,
      'a zod schema, or another Standard Schema with `inputJsonSchema` beside it',
    ),
    execute: callback(),
  }) satisfies Partial<Record<keyof Tool, z.ZodType>>;

const tool = once(() => z.object(fields()));
const callable = once(() => z.object({ ...fields(), name: text() }));

/** Throws `invalid_argument` when a value is not a tool that a model can be offered. */
export function checkTool(value: unknown): void {
  check(value, tool);
}

/** Throws `invalid_argument` when a value is not a tool that code can call; no provider sees its name. */
export function checkCallable(value: unknown): void {
  check(value, callable);
}

function check(value: unknown, schema: () => z.ZodType): void {
  if (!isObject(value))
    throw invalidArgument(
      `A tool is ${wordsFor(value)}: expected an object with \`name\`, \`description\`, \`input\` and \`execute\`.`,
    );
  const { name } = value;
  checkValue(schema(), value, typeof name === 'string' ? `The tool "${name}"` : 'A tool');
}
