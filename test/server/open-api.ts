import * as fc from 'fast-check';
import { ask } from './http.ts';

export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly isOpen: boolean;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  /** The schema of the JSON body. */
  readonly body?: Schema;
  /** The content type of a body that is not JSON. */
  readonly upload?: string;
}

interface OperationInfo {
  readonly security?: readonly unknown[];
  readonly parameters: Operation['parameters'];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** The operations in the OpenAPI document of a server. */
export async function operationsOf(url: string): Promise<Operation[]> {
  const { json } = await ask(url, '/api/openapi.json');
  return Object.entries(json['paths'] as Record<string, Record<string, OperationInfo>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, parameters, requestBody }]) => {
      const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const body = type === 'application/json' ? content?.schema : undefined;
      const upload = body === undefined ? type : undefined;
      const isOpen = security?.length === 0;
      return {
        method: method.toUpperCase(),
        path,
        isOpen,
        parameters,
        ...(body && { body }),
        ...(upload && { upload }),
      };
    }),
  );
}

/** Values that a schema allows. */
export function valid(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(valid));
  switch (schema.type) {
    case 'string':
      return schema.pattern === undefined
        ? fc.string({
            minLength: schema.minLength ?? 0,
            maxLength: Math.min(schema.maxLength ?? 60, 60),
            size: 'max',
            unit: 'binary',
          })
        : fc.stringMatching(new RegExp(schema.pattern));
    case 'integer':
    case 'number':
      return fc.nat({ max: 50 });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valid(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, each]) => [name, valid(each)])),
        { requiredKeys: [...(schema.required ?? [])] },
      );
    default:
      return fc.jsonValue();
  }
}
