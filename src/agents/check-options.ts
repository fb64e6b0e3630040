import { SingletreeError } from '../events/index.ts';
import { closestName } from './closest-name.ts';

/** The check of an option: a predicate, and the expected value in words. */
export interface OptionCheck {
  readonly fits: (value: unknown) => boolean;
  readonly expected: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Throws `invalid_argument` for invalid options of a function that creates an agent. Rejects unknown options too: a
 * misspelt one, such as `permission`, must not be ignored.
 */
export function checkOptions(maker: string, given: unknown, checks: Readonly<Record<string, OptionCheck>>): void {
  if (!isObject(given))
    throw invalid(`\`${maker}\` expects an object with its options, but received ${wordsFor(given)}.`);
  const { id } = given;
  const whose = typeof id === 'string' ? `The agent "${id}"` : `\`${maker}\``;
  const names = Object.keys(checks);
  for (const name of Object.keys(given)) if (!Object.hasOwn(checks, name)) throw unknownOption(whose, name, names);
  checkFields(whose, given, checks);
}

/** Throws `invalid_argument` when a field has an invalid value. */
export function checkFields(whose: string, given: Fields, checks: Readonly<Record<string, OptionCheck>>): void {
  // Tools are created for each run: this allocates no lists.
  for (const name in checks) {
    const { fits, expected } = checks[name] as OptionCheck;
    if (!fits(given[name]))
      throw invalid(`${whose} was given ${wordsFor(given[name])} as \`${name}\`: expected ${expected}.`);
  }
}

/** Describes a value for an error message. */
export function wordsFor(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Makes a check optional. */
export function optional({ fits, expected }: OptionCheck): OptionCheck {
  return { fits: value => value === undefined || fits(value), expected };
}

export const text: OptionCheck = { fits: value => typeof value === 'string', expected: 'a string' };
export const number: OptionCheck = {
  fits: value => typeof value === 'number' && !Number.isNaN(value),
  expected: 'a number',
};
export const object: OptionCheck = { fits: isObject, expected: 'an object' };

export function invalid(message: string): SingletreeError {
  return new SingletreeError('invalid_argument', message);
}

function unknownOption(whose: string, name: string, names: readonly string[]): SingletreeError {
  const closest = closestName(name, names);
  const hint = closest === undefined ? '.' : `: did you mean \`${closest}\`?`;
  return invalid(
    `${whose} has no option \`${name}\`${hint} Valid options: ${names.map(each => `\`${each}\``).join(', ')}.`,
  );
}
