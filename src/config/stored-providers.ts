import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { once } from '../events/define.ts';
import { defined } from '../events/defined.ts';
import { SingletreeError } from '../events/index.ts';

const server = () =>
  z.strictObject({ name: z.string().min(1).optional(), baseURL: z.string().min(1), key: z.string().min(1).optional() });

const content = once(() =>
  z.strictObject({
    /** Keys by the environment variable that they stand in for. */
    keys: z.record(z.string(), z.string().min(1)).default({}),
    /** Servers of models by the id of their provider. */
    servers: z.record(z.string(), server()).default({}),
  }),
);

type Content = z.infer<ReturnType<typeof content>>;

/** A server of models that a person added: where it is, and its key when it needs one. */
export type StoredServer = z.infer<ReturnType<typeof server>>;

/**
 * The keys of providers and the servers of models that a person stored, in one file of the data folder that only they can
 * read. It is read whenever a value is asked for: what one process stores, another one uses without a restart.
 */
export class StoredProviders {
  readonly #home: string;
  #read: { readonly stamp: string; readonly content: Content } | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  /** The key that stands in for an environment variable; undefined when none is stored. */
  keyFor(variable: string): string | undefined {
    const { keys } = this.#load();
    return Object.hasOwn(keys, variable) ? keys[variable] : undefined;
  }

  servers(): Readonly<Record<string, StoredServer>> {
    return this.#load().servers;
  }

  /** Every stored key: what no surface may show. */
  secrets(): string[] {
    const { keys, servers } = this.#load();
    return [...Object.values(keys), ...Object.values(servers).flatMap(({ key }) => key ?? [])];
  }

  storeKey(variable: string, key: string): void {
    const { keys, servers } = this.#load();
    this.#write({ keys: { ...keys, [variable]: key }, servers });
  }

  storeServer(id: string, { name, baseURL, key }: StoredServer): void {
    const { keys, servers } = this.#load();
    this.#write({ keys, servers: { ...servers, [id]: { baseURL, ...defined({ name, key }) } } });
  }

  /** Returns whether there was one. */
  removeKey(variable: string): boolean {
    const { keys, servers } = this.#load();
    const { [variable]: removed, ...others } = keys;
    if (removed !== undefined) this.#write({ keys: others, servers });
    return removed !== undefined;
  }

  /** Returns whether there was one. */
  removeServer(id: string): boolean {
    const { keys, servers } = this.#load();
    const { [id]: removed, ...others } = servers;
    if (removed !== undefined) this.#write({ keys, servers: others });
    return removed !== undefined;
  }

  get #file(): string {
    return join(this.#home, 'providers.json');
  }

  /** Throws `invalid_config` for a file that is damaged, or that others can read. */
  #load(): Content {
    const found = statSync(this.#file, { throwIfNoEntry: false });
    if (found === undefined) return { keys: {}, servers: {} };
    if ((found.mode & 0o077) !== 0)
      throw new SingletreeError(
        'invalid_config',
        `${this.#file} has keys and can be read by others. Make it your own with: chmod 600 ${this.#file}`,
      );
    const stamp = `${found.ino} ${found.mtimeMs} ${found.size}`;
    if (this.#read?.stamp === stamp) return this.#read.content;
    const parsed = content().safeParse(parseFile(this.#file));
    if (!parsed.success)
      // The problems that zod names can contain a key.
      throw new SingletreeError(
        'invalid_config',
        `${this.#file} is damaged. Expected { "keys": { … }, "servers": { … } }; remove the file to enter the keys again.`,
      );
    this.#read = { stamp, content: parsed.data };
    return parsed.data;
  }

  #write(next: Content): void {
    mkdirSync(this.#home, { recursive: true, mode: 0o700 });
    const draft = `${this.#file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.#file);
    this.#read = undefined;
  }
}

/** Returns variables by name: those of the environment, and stored keys for those that are not set there. */
export function withStoredKeys(
  env: Readonly<Record<string, string | undefined>>,
  stored: StoredProviders,
): Readonly<Record<string, string | undefined>> {
  const read = (name: string) => (Object.hasOwn(env, name) && isSet(env[name]) ? env[name] : stored.keyFor(name));
  return new Proxy({}, { get: (_, name) => (typeof name === 'string' ? read(name) : undefined) });
}

/** Whether a variable counts as set: a blank one does not. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch {
    return undefined; // Reported like any other content that is not expected.
  }
}
