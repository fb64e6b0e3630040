import * as z from 'zod';
import { vocabulary } from './vocabulary.ts';

/** Returns the vocabulary as JSON Schema: one definition per event type, and an event is any one of them. */
export function eventJsonSchema(): Record<string, unknown> {
  const definitions = vocabulary.map(({ type, doc, schema }) => {
    const { $schema: _, ...definition } = z.toJSONSchema(schema);
    return [type, { description: doc, ...definition }] as const;
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'AgentEvent',
    oneOf: vocabulary.map(({ type }) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(definitions),
  };
}
