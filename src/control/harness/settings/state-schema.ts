import type { StandardSchemaV1 } from '@standard-schema/spec';
import { jsonSchemaOf, type PublicSchema, standardSchema } from '../arguments/standard-schema.ts';

/** A validation issue of a state. */
export interface StateIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export type StateCheck = { readonly value: Record<string, unknown> } | { readonly issues: readonly StateIssue[] };

/** A state schema: its defaults, its known keys, and a check. */
export interface StateSchema {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly keys: ReadonlySet<string>;
  check(value: Record<string, unknown>): StateCheck | Promise<StateCheck>;
}

/** Reads a schema; throws `invalid_argument` when it is unreadable. */
export function stateSchema(schema: PublicSchema | undefined): StateSchema {
  if (schema === undefined) return { defaults: {}, keys: new Set(), check: value => ({ value }) };
  const standard = standardSchema(schema, 'the state');
  const properties = propertiesOf(jsonSchemaOf(schema));
  return {
    defaults: defaultsIn(properties),
    keys: new Set(Object.keys(properties)),
    check: value => {
      const checked = standard['~standard'].validate(value);
      return checked instanceof Promise ? checked.then(toCheck) : toCheck(checked);
    },
  };
}

function toCheck(checked: StandardSchemaV1.Result<unknown>): StateCheck {
  if (checked.issues === undefined) return { value: { ...(checked.value as Record<string, unknown>) } };
  return {
    issues: checked.issues.map(({ path = [], message }) => ({
      path: path.map(key => (typeof key === 'object' ? key.key : key)),
      message,
    })),
  };
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const { properties } = Object(schema) as { properties?: unknown };
  return Object(properties) as Readonly<Record<string, unknown>>;
}

function defaultsIn(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, property]) =>
      typeof property === 'object' && property !== null && 'default' in property
        ? [[key, structuredClone(property.default)]]
        : [],
    ),
  );
}
