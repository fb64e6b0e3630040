import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { SingletreeError } from '../singletree-error.ts';
import { optionNamesCheck, optionsCheck } from './check-options.ts';
import { callback, flag, milliseconds, name } from './option-fields.ts';

let built = 0;
const check = optionsCheck('makeBell')(() => {
  built++;
  return {
    tone: name(),
    everyMs: milliseconds().optional(),
    onRing: callback().optional(),
    limits: z.strictObject({ most: z.int().positive().optional() }).optional(),
    byName: z.record(z.string(), z.strictObject({ loud: z.boolean() })).optional(),
    echo: z
      .union([flag(), z.strictObject({ times: z.int().optional() })], { error: 'expected a flag or its settings' })
      .optional(),
  };
});

const refusal = (given: unknown) => {
  try {
    check(given);
  } catch (error) {
    if (SingletreeError.is(error, 'invalid_argument')) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('the check of options', () => {
  it('builds its schema when it is first used', () => {
    expect(built).toBe(0);
    expect([refusal({ tone: 'a' }), refusal({ tone: 'b', everyMs: undefined, limits: {} })]).toEqual([
      'accepted',
      'accepted',
    ]);
    expect(built).toBe(1);
  });

  it.each<[unknown, string]>([
    [undefined, '`makeBell` expects an object with its options, but received nothing.'],
    ['high', '`makeBell` expects an object with its options, but received "high".'],
    [{}, '`makeBell` was given nothing as `tone`: expected a string that is not empty.'],
    [{ tone: 7 }, '`makeBell` was given 7 as `tone`: expected a string that is not empty.'],
    [{ tone: 'a', everyMs: -1 }, '`makeBell` was given -1 as `everyMs`: expected milliseconds, 0 or more.'],
    [{ tone: 'a', onRing: [] }, '`makeBell` was given an array as `onRing`: expected a function.'],
    [{ tone: 'a', limits: { most: 'x' } }, '`makeBell` was given "x" as `limits.most`: expected number.'],
  ])('says what was given and what is expected: %j', (given, message) => {
    expect(refusal(given)).toBe(message);
  });

  it('suggests the closest name for an option that is unknown, also inside another one', () => {
    expect(refusal({ tome: 'a' })).toBe(
      '`makeBell` has no option `tome`: did you mean `tone`? Valid options: `tone`, `everyMs`, `onRing`, `limits`, `byName`, `echo`.',
    );
    expect(refusal({ tone: 'a', colour: 'red' })).toMatch(
      /^`makeBell` has no option `colour`\. Valid options: `tone`, /,
    );
    expect(refusal({ tone: 'a', limits: { Most: 1 } })).toBe(
      '`makeBell` has no option `limits.Most`: did you mean `limits.most`? Valid options: `limits.most`.',
    );
    expect(refusal({ tone: 'a', byName: { x: { laud: true } } })).toContain('did you mean `byName.x.loud`?');
  });

  it('names the field of an object that is one of several alternatives', () => {
    expect([refusal({ tone: 'a', echo: true }), refusal({ tone: 'a', echo: { times: 2 } })]).toEqual([
      'accepted',
      'accepted',
    ]);
    expect(refusal({ tone: 'a', echo: { time: 2 } })).toBe(
      '`makeBell` has no option `echo.time`: did you mean `echo.times`? Valid options: `echo.times`.',
    );
    expect(refusal({ tone: 'a', echo: { times: 'x' } })).toBe(
      '`makeBell` was given "x" as `echo.times`: expected number.',
    );
    expect(refusal({ tone: 'a', echo: 'x' })).toBe(
      '`makeBell` was given "x" as `echo`: expected a flag or its settings.',
    );
  });

  it('refuses an unknown name where only names are checked', () => {
    const checkNames = optionNamesCheck('ring', ['loud', 'long']);
    checkNames(undefined);
    checkNames({ loud: 1 });
    expect(() => checkNames({ laud: 1 })).toThrow(
      '`ring` has no option `laud`: did you mean `loud`? Valid options: `loud`, `long`.',
    );
  });
});
