import * as z from 'zod';

/** Whether a value is an object and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that takes the values a test accepts; `expected` describes them in words. */
export function field(test: (value: unknown) => boolean, expected: string): z.ZodType {
  return z.custom(test, `expected ${expected}`);
}

export const text = () => field(value => typeof value === 'string', 'a string');
export const name = () => field(value => typeof value === 'string' && value !== '', 'a string that is not empty');
export const flag = () => field(value => typeof value === 'boolean', 'true or false');
export const number = () => field(value => typeof value === 'number' && !Number.isNaN(value), 'a number');
export const milliseconds = () => field(value => typeof value === 'number' && value >= 0, 'milliseconds, 0 or more');
export const object = () => field(isObject, 'an object');
export const callback = () => field(value => typeof value === 'function', 'a function');

/** An object with these methods. */
export function having(methods: readonly string[], expected: string): z.ZodType {
  return field(value => {
    if (!isObject(value)) return false;
    return methods.every(method => typeof value[method] === 'function');
  }, expected);
}

export const eventLog = () =>
  having(['append', 'read', 'createThread'], "an event log, such as `new SqliteLog('threads.db')`");
export const signal = () => field(value => value instanceof AbortSignal, 'an AbortSignal');
export const agent = () =>
  z.custom(value => isObject(value) && typeof value['id'] === 'string' && typeof value['invoke'] === 'function', {
    error: ({ input }) => expectedAgent(input, 'an agent'),
  });

/** Returns what was expected in place of a value that is no agent of ours; of an agent of Mastra it names the adapter. */
export function expectedAgent(given: unknown, expected: string): string {
  return isObject(given) && 'getInstructions' in given
    ? 'an agent of Mastra is passed as `mastraAgent(agent)`, with `mastraAgent` of singletree/control'
    : `expected ${expected}`;
}

export const clock = () => having(['now', 'after'], 'a clock with `now` and `after`');
