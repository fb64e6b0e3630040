import type { Config } from './config-schema.ts';
import { isObject } from '../base/options/option-fields.ts';

/** A layer of configuration; later layers win. */
export interface ConfigLayer {
  /** The name of its source for display: a file, `environment`, `command line`. */
  readonly source: string;
  readonly config: Config;
}

/** An effective value with its path and source. */
export interface ConfigValue {
  readonly path: string;
  readonly value: unknown;
  readonly source: string;
}

export interface MergedConfig {
  readonly config: Config;
  readonly values: readonly ConfigValue[];
}

/**
 * Merges layers, the weakest first. Objects are merged by key. Lists add up, the stronger layer first, with one entry
 * for each id: rules, agents, providers, skills. Anything else is replaced.
 */
export function mergeConfig(layers: readonly ConfigLayer[]): MergedConfig {
  const merged = layers.reduce<Entry | undefined>((before, { source, config }) => {
    const { $schema: _, ...fields } = config;
    return combined(before, toEntry(fields, source));
  }, undefined);
  const values: ConfigValue[] = [];
  const config = merged === undefined ? {} : (plain(merged, '', values) as Config);
  return { config, values };
}

type Entry = { readonly fields: ReadonlyMap<string, Entry> } | { readonly items: readonly Leaf[] } | Leaf;

interface Leaf {
  readonly value: unknown;
  readonly source: string;
}

/** Values with a name, such as servers and keys, are replaced as a whole when another layer has the same name. */
const wholeAt: ReadonlySet<string> = new Set(['mcpServers', 'subagents', 'keys']);

function toEntry(value: unknown, source: string, isWhole = false): Entry {
  if (isWhole) return { value, source };
  if (Array.isArray(value)) return { items: value.map(item => ({ value: item as unknown, source })) };
  if (!isObject(value)) return { value, source };
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return { fields: new Map(fields.map(([key, field]) => [key, whole(key, field, source)])) };
}

function whole(key: string, field: unknown, source: string): Entry {
  if (!wholeAt.has(key) || !isObject(field)) return toEntry(field, source);
  return { fields: new Map(Object.entries(field).map(([name, each]) => [name, toEntry(each, source, true)])) };
}

function combined(before: Entry | undefined, after: Entry): Entry {
  if (before === undefined) return after;
  if ('fields' in before && 'fields' in after) {
    const fields = new Map(before.fields);
    for (const [key, entry] of after.fields) fields.set(key, combined(fields.get(key), entry));
    return { fields };
  }
  if ('items' in before && 'items' in after) {
    const ids = new Set(after.items.map(getId));
    return { items: [...after.items, ...before.items.filter(item => !ids.has(getId(item)))] };
  }
  return after;
}

function getId({ value }: Leaf): unknown {
  if (!isObject(value)) return value;
  return typeof value['id'] === 'string' ? value['id'] : JSON.stringify(value);
}

function plain(entry: Entry, path: string, values: ConfigValue[]): unknown {
  if ('fields' in entry)
    return Object.fromEntries(
      [...entry.fields]
        .filter(([, field]) => !('fields' in field) || field.fields.size > 0)
        .map(([key, field]) => [key, plain(field, path === '' ? key : `${path}.${key}`, values)]),
    );
  if ('items' in entry) return entry.items.map((item, index) => plain(item, `${path}.${index}`, values));
  values.push({ path, value: entry.value, source: entry.source });
  return entry.value;
}
