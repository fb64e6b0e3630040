import * as z from 'zod';
import { once } from '../once.ts';
import { SingletreeError } from '../singletree-error.ts';
import { closestName } from './closest-name.ts';
import { isObject } from './option-fields.ts';

/** A schema for each option of an interface. */
export type OptionFields<Options> = { readonly [Name in keyof Options]-?: z.ZodType };

/** Names what the options are for in an error, such as `The agent "a"`; the function's own name when undefined. */
export type OptionsOwner = (given: Readonly<Record<string, unknown>>) => string | undefined;

/**
 * Begins the check of a function's options: `optionsCheck<Options>('name')(() => fields)` returns it, and compiles only
 * with a field for each option and no other. It throws `invalid_argument` for an option that is missing, has an invalid
 * value or is unknown, and then suggests the closest name: a misspelt `permission` must not be ignored. The fields are
 * built when the check is first used.
 */
export function optionsCheck<Options = Record<string, unknown>>(
  name: string,
  ownerOf: OptionsOwner = () => undefined,
): <Fields extends OptionFields<Options>>(
  fields: () => Fields & { readonly [Other in Exclude<keyof Fields, keyof Options>]: never },
) => (given: unknown) => void {
  return fields => {
    const schema = once(() => z.strictObject(fields()));
    return given => {
      if (!isObject(given))
        throw invalidArgument(`\`${name}\` expects an object with its options, but received ${wordsFor(given)}.`);
      checkValue(schema(), given, ownerOf(given) ?? `\`${name}\``);
    };
  };
}

/**
 * Returns the check of the names of a method's options only: for a method that is called for each event, and checks the
 * values where it uses them.
 */
export function optionNamesCheck(name: string, names: readonly string[]): (given: object | undefined) => void {
  const known = new Set(names);
  return given => {
    for (const key in given) if (!known.has(key)) throw invalidArgument(unknownOption(`\`${name}\``, [], key, names));
  };
}

/** Throws `invalid_argument` that names the first field of a value that its schema refuses. */
export function checkValue(schema: z.ZodType, given: unknown, owner: string, details?: Record<string, unknown>): void {
  const issues = (schema.safeParse(given).error?.issues ?? []).flatMap(innerIssues);
  // An unknown name often explains why another one is missing.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) return;
  const path = issue.path.map(String);
  const message =
    issue.code === 'unrecognized_keys'
      ? unknownOption(owner, path, issue.keys[0] ?? '', fieldsAt(schema, issue.path))
      : `${owner} was given ${wordsFor(valueAt(given, issue.path))}${path.length === 0 ? '' : ` as \`${path.join('.')}\``}: ${expected(issue)}.`;
  const field = issue.code === 'unrecognized_keys' ? [...path, issue.keys[0] ?? ''] : path;
  throw invalidArgument(message, { ...details, path: field.join('.') });
}

/** The issues inside the alternative that a value was probably meant for; the issue itself when it fits none. */
function innerIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [closest] = issue.errors
    .filter(inner => inner.every(({ code, path }) => code === 'unrecognized_keys' || path.length > 0))
    .toSorted((a, b) => a.length - b.length);
  return closest?.map(inner => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}

/** Describes a value in an error message. */
export function wordsFor(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function invalidArgument(message: string, details?: Record<string, unknown>): SingletreeError {
  return new SingletreeError('invalid_argument', message, details && { details });
}

function expected({ message }: z.core.$ZodIssue): string {
  return message.replace(/^(Invalid input|Invalid option|Too small|Too big): /, '').replace(/, received .*$/, '');
}

function unknownOption(owner: string, path: readonly string[], name: string, names: readonly string[]): string {
  const full = (each: string) => `\`${[...path, each].join('.')}\``;
  const closest = closestName(name, names);
  const hint = closest === undefined ? '.' : `: did you mean ${full(closest)}?`;
  const known = names.length === 0 ? '' : ` Valid options: ${names.map(full).join(', ')}.`;
  return `${owner} has no option ${full(name)}${hint}${known}`;
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    given,
  );
}

/** The names that an object inside a schema takes; none when that cannot be said. */
function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const def: { readonly type: string; readonly [trait: string]: unknown } = { ...schema._zod.def };
  if (def.type === 'optional') return fieldsAt(def['innerType'] as z.core.$ZodType, path);
  if (def.type === 'union') return (def['options'] as z.core.$ZodType[]).flatMap(option => fieldsAt(option, path));
  const [key, ...rest] = path;
  if (def.type === 'object') {
    const shape = def['shape'] as Record<string, z.core.$ZodType>;
    if (key === undefined) return Object.keys(shape);
    const field = shape[String(key)];
    return field === undefined ? [] : fieldsAt(field, rest);
  }
  const inner = def['valueType'] ?? def['element'];
  return key === undefined || inner === undefined ? [] : fieldsAt(inner as z.core.$ZodType, rest);
}
