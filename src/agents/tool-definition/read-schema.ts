import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import { errorText } from '../../base/error-text.ts';
import { invalidArgument } from '../../base/options/check-options.ts';

type JsonSchema = Record<string, unknown>;

/** A schema of the AI SDK, as `jsonSchema()` returns it. */
interface AiSdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: (value: unknown) => Validated | PromiseLike<Validated>;
}

type Validated =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: unknown };

/** A schema in two forms: to check values, and to describe them to a model. */
export interface ReadSchema {
  readonly standard: StandardSchemaV1;
  readonly json: JsonSchema;
}

/**
 * Reads a schema: zod, a Standard Schema that describes itself as JSON Schema, a schema of the AI SDK, or a JSON Schema.
 * Throws `invalid_argument` for another one; `of` names it in the message.
 */
export function readSchema(schema: object, of: string): ReadSchema {
  try {
    return read(schema, of);
  } catch (cause) {
    throw invalidArgument(
      `The schema of ${of} is unreadable: ${errorText(cause)} Use zod, a Standard Schema with a JSON Schema, or a JSON Schema.`,
    );
  }
}

/** Returns the JSON Schema of a zod or Standard Schema; undefined when it has none. */
export function toJsonSchema(schema: StandardSchemaV1): JsonSchema | undefined {
  if ('_zod' in schema) {
    const { $schema: _, ...json } = z.toJSONSchema(schema as unknown as z.ZodType, { io: 'input' });
    return json;
  }
  const { jsonSchema } = schema['~standard'] as { jsonSchema?: { input(options: object): JsonSchema } };
  return jsonSchema?.input({ target: 'draft-07' });
}

function read(schema: object, of: string): ReadSchema {
  if ('~standard' in schema) {
    const standard = schema as StandardSchemaV1;
    const json = toJsonSchema(standard);
    if (json === undefined) throw new TypeError('it has no JSON Schema.');
    return { standard: 'validate' in standard['~standard'] ? standard : createCheck(json), json };
  }
  if (typeof schema === 'function') return read((schema as () => object)(), of);
  if (!('jsonSchema' in schema)) return { standard: createCheck(schema as JsonSchema), json: schema as JsonSchema };
  const { jsonSchema: json, validate } = schema as AiSdkSchema;
  if (typeof json !== 'object' || json === null || 'then' in json)
    throw new TypeError('its JSON Schema is not an object.');
  return {
    standard: validate === undefined ? createCheck(json as JsonSchema) : toStandard(validate),
    json: json as JsonSchema,
  };
}

function createCheck(json: JsonSchema): StandardSchemaV1 {
  return z.fromJSONSchema(json);
}

function toStandard(check: NonNullable<AiSdkSchema['validate']>): StandardSchemaV1 {
  return {
    '~standard': {
      version: 1,
      vendor: 'ai-sdk',
      validate: async value => {
        const result = await check(value);
        return result.success ? { value: result.value } : { issues: [{ message: errorText(result.error) }] };
      },
    },
  };
}
