import { eventJsonSchema, vocabulary } from 'singletree/events';

interface Field {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Field[];
  oneOf?: Field[];
  items?: Field;
  properties?: Record<string, Field>;
  required?: string[];
  description?: string;
}

/** The text of `docs/events.md`, derived from the definitions. */
export function eventReference(): string {
  const definitions = eventJsonSchema()['$defs'] as Record<string, Field>;
  const envelope = sharedFields(Object.values(definitions));
  const lines = [
    '# Events',
    '',
    'Every event is a JSON object with a `type`. This page is generated from the definitions in `src/events`',
    '(`npm run docs`). Fields and types that are not listed here pass through every store and stream unchanged.',
    '',
    '## The envelope: fields every event may carry',
    '',
    ...fieldTable(definitions['custom'] ?? {}, name => envelope.has(name)),
  ];
  let family = '';
  for (const { type, doc, durability, family: of } of vocabulary) {
    if (of !== family) lines.push('', `## ${of[0]?.toUpperCase()}${of.slice(1)}`);
    family = of;
    lines.push('', `### \`${type}\``, '', `${doc} Durability: ${durability}.`);
    const definition = definitions[type] ?? {};
    for (const variant of definition.oneOf ?? [definition]) {
      const kind = variant.properties?.['relayKind']?.const;
      if (kind !== undefined) lines.push('', `With \`relayKind: ${JSON.stringify(kind)}\`:`);
      const own = (name: string) => name !== 'type' && (!envelope.has(name) || isSpecific(type, name));
      lines.push('', ...fieldTable(variant, own));
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The names of the fields that every event may carry, except `type`. */
function sharedFields(definitions: readonly Field[]): ReadonlySet<string> {
  const variants = definitions.flatMap(definition => definition.oneOf ?? [definition]);
  const names = Object.keys(variants[0]?.properties ?? {});
  return new Set(names.filter(name => name !== 'type' && variants.every(({ properties = {} }) => name in properties)));
}

/** Envelope fields that an event type makes its own by requiring them. */
function isSpecific(type: string, name: string): boolean {
  return (name === 'agentId' && type.startsWith('harness_')) || (name === 'sessionId' && type === 'session');
}

function fieldTable(definition: Field, include: (name: string) => boolean): string[] {
  const rows = Object.entries(definition.properties ?? {})
    .filter(([name]) => include(name))
    .map(([name, field]) => {
      const optional = definition.required?.includes(name) ? '' : '?';
      return `| \`${name}${optional}\` | ${typeName(field)} | ${field.description ?? ''} |`;
    });
  return ['| field | type | meaning |', '|---|---|---|', ...rows];
}

function typeName(field: Field): string {
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum) return field.enum.map(value => `\`${JSON.stringify(value)}\``).join(' or ');
  const variants = field.anyOf ?? field.oneOf;
  if (variants) return variants.map(typeName).join(' or ');
  if (field.type === 'array') return `array of ${field.items ? typeName(field.items) : 'values'}`;
  if (field.type === 'object' && field.properties) return `\`{ ${memberNames(field)} }\``;
  return field.type ?? 'any JSON value';
}

function memberNames(field: Field): string {
  return Object.entries(field.properties ?? {})
    .map(([name, member]) => {
      const optional = field.required?.includes(name) ? '' : '?';
      return member.const === undefined ? `${name}${optional}` : `${name}: ${JSON.stringify(member.const)}`;
    })
    .join(', ');
}
