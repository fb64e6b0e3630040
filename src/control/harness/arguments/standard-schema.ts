import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import { errorText } from '../../../base/error-text.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';

/** A schema as zod, any Standard Schema, a Standard JSON Schema, or JSON Schema. */
export type PublicSchema<Value = unknown> =
  | StandardSchemaV1<unknown, Value>
  | StandardJSONSchemaV1<unknown, Value>
  | Readonly<Record<string, unknown>>;

/**
 * Converts a schema to a Standard Schema; throws `invalid_argument` for an unreadable JSON Schema. `of` names it in the
 * message.
 */
export function standardSchema<Value>(schema: PublicSchema<Value>, of: string): StandardSchemaV1<unknown, Value> {
  if (isValidating(schema)) return schema;
  try {
    return z.fromJSONSchema(isStandard(schema) ? readInput(schema) : schema) as unknown as StandardSchemaV1<
      unknown,
      Value
    >;
  } catch (cause) {
    const why = errorText(cause);
    throw new SingletreeError(
      'invalid_argument',
      `The schema of ${of} is unreadable: ${why}. Use zod, a Standard Schema or a JSON Schema.`,
      { cause },
    );
  }
}

/** Converts a schema to the JSON Schema of its input; undefined when the schema cannot be converted. */
export function toJsonSchema(schema: PublicSchema): Readonly<Record<string, unknown>> | undefined {
  if (!isStandard(schema)) return schema;
  try {
    if ('_zod' in schema) return z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' });
    return 'jsonSchema' in schema['~standard'] ? readInput(schema as StandardJSONSchemaV1) : undefined;
  } catch {
    return undefined; // The caller says what it needs it for.
  }
}

/** Libraries throw for a draft that they do not support. */
function readInput({ '~standard': { jsonSchema } }: StandardJSONSchemaV1): Record<string, unknown> {
  try {
    return jsonSchema.input({ target: 'draft-2020-12' });
  } catch {
    return jsonSchema.input({ target: 'draft-07' });
  }
}

function isStandard<Value>(
  schema: PublicSchema<Value>,
): schema is Exclude<typeof schema, Readonly<Record<string, unknown>>> {
  return '~standard' in schema;
}

function isValidating<Value>(schema: PublicSchema<Value>): schema is StandardSchemaV1<unknown, Value> {
  return isStandard(schema) && 'validate' in schema['~standard'];
}
