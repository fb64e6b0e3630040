import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';

const fields = { name: 'look', description: 'looks', input: z.object({}), execute: () => 'seen' };
const define = (given: unknown) => defineTool(given as typeof fields);

describe('defining a tool', () => {
  it.each(['look', 'Look_2', 'mcp__my-server__read_file', 'x'.repeat(64)])(
    'takes a name that every provider takes: %s',
    name => {
      expect(define({ ...fields, name }).name).toBe(name);
    },
  );

  it.each<[unknown, string]>([
    [undefined, 'A tool is nothing: expected an object with `name`, `description`, `input` and `execute`.'],
    [{ ...fields, name: undefined }, 'A tool was given nothing as `name`: expected 1 to 64 letters'],
    [
      { ...fields, name: 'a b' },
      'The tool "a b" was given "a b" as `name`: expected 1 to 64 letters, digits, _ and -.',
    ],
    [{ ...fields, name: '' }, 'was given "" as `name`'],
    [{ ...fields, name: 'x'.repeat(65) }, 'as `name`: expected 1 to 64'],
    [{ ...fields, description: undefined }, 'The tool "look" was given nothing as `description`: expected a string'],
    [{ ...fields, input: undefined }, 'The tool "look" was given nothing as `input`: expected a zod schema'],
    [{ ...fields, input: { type: 'object' } }, 'The tool "look" was given an object as `input`: expected a zod schema'],
    [{ ...fields, execute: undefined }, 'The tool "look" was given nothing as `execute`: expected a function.'],
  ])('refuses what is none: %j', (given, message) => {
    expect(() => define(given)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(() => define(given)).toThrow(message);
  });

  it('accepts a Standard Schema that is a function', () => {
    const standard = { version: 1, vendor: 'other', validate: (value: unknown) => ({ value }) } as const;
    const input = Object.assign(() => {}, { '~standard': standard });
    expect(define({ ...fields, input, inputJsonSchema: {} })).toMatchObject({ name: 'look' });
  });
});
