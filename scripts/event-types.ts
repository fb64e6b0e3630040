import { vocabulary } from 'singletree/events';
import * as z from 'zod';

type Schema = z.core.$ZodType;
type Shape = Readonly<Record<string, Schema>>;

/** The text of `src/events/event-types.ts`: a named interface with documentation for each event, from its definition. */
export function eventTypes(): string {
  const variants = vocabulary.map(({ type, doc, schema }) => ({ type, doc, shapes: shapesOf(schema) }));
  const shared = sharedFields(variants.flatMap(({ shapes }) => shapes));
  const lines = [
    '/**',
    ' * The events as interfaces. `npm run docs` writes this file from the definitions in this folder: change those.',
    ' * @module',
    ' */',
    '',
    '/** The fields that every event may carry. */',
    'export interface EventEnvelope {',
    ...fieldLines(shared),
    '}',
  ];
  for (const { type, doc, shapes } of variants) {
    const names = shapes.map(shape => interfaceName(type, shape));
    for (const [index, shape] of shapes.entries()) {
      const own = Object.entries(shape).filter(([name, field]) => {
        const common = shared[name];
        return common === undefined || fieldLines({ common }).join() !== fieldLines({ common: field }).join();
      });
      const title = shapes.length === 1 ? doc : `${doc} Its kind is \`${literalOf(shape['relayKind'])}\`.`;
      lines.push('', ...comment(title), `export interface ${names[index]} extends EventEnvelope {`);
      lines.push(...fieldLines(Object.fromEntries(own)), '}');
    }
    const union = `${pascal(type)}Event`;
    if (names.length > 1) lines.push('', ...comment(doc), `export type ${union} = ${names.join(' | ')};`);
  }
  const members = variants.map(({ type }) => `  readonly ${type}: ${pascal(type)}Event;`);
  lines.push('', '/** The events by their type. */', 'export interface EventsByType {', ...members, '}');
  return `${lines.join('\n')}\n`;
}

/** The fields of an event: one object, or one for each kind of relay. */
function shapesOf(schema: Schema): Shape[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'union') return def.options.flatMap(shapesOf);
  if (def.type === 'object') return [def.shape];
  throw new Error(`An event is an object, or a union of objects, not: ${def.type}.`);
}

/** The fields that all events have, as most of them have them. */
function sharedFields(shapes: readonly Shape[]): Shape {
  const custom = shapes.find(shape => literalOf(shape['type']) === 'custom') ?? {};
  const isShared = ([name]: [string, Schema]) => name !== 'type' && shapes.every(shape => name in shape);
  return Object.fromEntries(Object.entries(custom).filter(isShared));
}

function interfaceName(type: string, shape: Shape): string {
  const kind = type === 'relay' ? literalOf(shape['relayKind']) : '';
  return `${pascal(kind)}${pascal(type)}Event`;
}

function literalOf(schema: Schema | undefined): string {
  const def = (schema as z.core.$ZodTypes | undefined)?._zod.def;
  return def?.type === 'literal' ? String(def.values[0]) : '';
}

function pascal(words: string): string {
  return words.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function fieldLines(shape: Shape, indent = '  '): string[] {
  return Object.entries(shape).flatMap(([name, field]) => {
    const type = typeText(field, indent);
    const isOptional = field._zod.optin === 'optional';
    const text = isOptional && type !== 'unknown' ? `${type} | undefined` : type;
    return [...comment(describe(field), indent), `${indent}${name}${isOptional ? '?' : ''}: ${text};`];
  });
}

/** The description of a field, which its inner schema may have. */
function describe(schema: Schema): string | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const own = z.globalRegistry.get(schema)?.description;
  return own ?? (def.type === 'optional' ? describe(def.innerType) : undefined);
}

function comment(text: string | undefined, indent = ''): string[] {
  if (text === undefined) return [];
  const sentence = `${text[0]?.toUpperCase()}${text.slice(1)}`;
  return [`${indent}/** ${/[.!?]$/.test(sentence) ? sentence : `${sentence}.`} */`];
}

/** The type of the values of a schema, as TypeScript writes it. */
function typeText(schema: Schema, indent = ''): string {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
      return typeText(def.innerType, indent);
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
      return def.type;
    case 'literal':
      return def.values.map(literal).join(' | ');
    case 'enum':
      return Object.values(def.entries).map(literal).join(' | ');
    case 'array': {
      const item = typeText(def.element, indent);
      const isUnion = ['union', 'enum'].includes((def.element as z.core.$ZodTypes)._zod.def.type);
      return isUnion ? `(${item})[]` : `${item}[]`;
    }
    case 'record':
      return `Record<string, ${typeText(def.valueType, indent)}>`;
    case 'union':
      return def.options.map(option => typeText(option, indent)).join(' | ');
    case 'object':
      return `{\n${[...fieldLines(def.shape, `${indent}  `), `${indent}  [more: string]: unknown;`].join('\n')}\n${indent}}`;
    default:
      throw new Error(`The generator of event types does not know the schema "${def.type}".`);
  }
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}
