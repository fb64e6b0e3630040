import * as z from 'zod';
import { once } from '../../base/once.ts';
import { checkValue, invalidArgument, wordsFor } from '../../base/options/check-options.ts';
import { callback, field, isObject, text } from '../../base/options/option-fields.ts';
import type { Tool } from '../contract/agent.ts';

/** Matches tool names that all providers accept. */
const toolName = /^[\w-]{1,64}$/;

/** Whether a value is a Standard Schema; the schemas of some libraries are functions. */
const isStandardSchema = (value: unknown) => (isObject(value) || typeof value === 'function') && '~standard' in value;

/** The schema of the context of a run. */
export const contextSchema = () => field(isStandardSchema, 'a zod schema, or another Standard Schema');

const fields = () =>
  ({
    name: field(value => typeof value === 'string' && toolName.test(value), '1 to 64 letters, digits, _ and -'),
    description: field(
      value => typeof value === 'string' || typeof value === 'function',
      'a string, or a function that returns one',
    ),
    input: field(isStandardSchema, 'a zod schema, or another Standard Schema with `inputJsonSchema` beside it'),
    context: contextSchema().optional(),
    execute: callback(),
    needsApproval: field(
      value => typeof value === 'boolean' || typeof value === 'function',
      'a boolean, or a function that returns one',
    ).optional(),
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

/** The kinds of zod schemas that no object matches. */
const notObjects = new Set(
  'string number int boolean bigint symbol date null undefined void never nan array tuple set map enum literal file'.split(
    ' ',
  ),
);

function check(value: unknown, schema: () => z.ZodType): void {
  if (!isObject(value))
    throw invalidArgument(
      `A tool is ${wordsFor(value)}: expected an object with \`name\`, \`description\`, \`input\` and \`execute\`.`,
    );
  const { name } = value;
  const subject = typeof name === 'string' ? `The tool "${name}"` : 'A tool';
  checkValue(schema(), value, subject);
  const kind = value['input'] instanceof z.core.$ZodType ? value['input']._zod.def.type : 'object';
  if (notObjects.has(kind))
    throw invalidArgument(`${subject} has an input of type ${kind}: models send an object. Use z.object({ … }).`);
}
