import { mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { once } from '../base/once.ts';
import { defined } from '../base/defined.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { PrivateFile } from './private-file.ts';

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

/** The name of the file in the data folder. */
const providersFile = 'providers.json';

type Content = z.infer<ReturnType<typeof content>>;

/** A server of models that a person added: where it is, and its key when it needs one. */
export type StoredServer = z.infer<ReturnType<typeof server>>;

/**
 * The keys of providers and the servers of models that a person stored, in one file of the data folder that only they can
 * read. It is read whenever a value is asked for: what one process stores, another one uses without a restart.
 */
export class StoredProviders {
  readonly #file: PrivateFile<Content>;
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
    this.#file = new PrivateFile({
      path: join(home, providersFile),
      schema: content,
      empty: { keys: {}, servers: {} },
      has: 'keys',
      expected: '{ "keys": { … }, "servers": { … } }; remove the file to enter the keys again.',
    });
  }

  /** Returns the key that replaces an environment variable, or undefined. */
  keyFor(variable: string): string | undefined {
    const { keys } = this.#file.load();
    return Object.hasOwn(keys, variable) ? keys[variable] : undefined;
  }

  servers(): Readonly<Record<string, StoredServer>> {
    return this.#file.load().servers;
  }

  /** Returns all stored keys, which no interface may show. */
  secrets(): string[] {
    const { keys, servers } = this.#file.load();
    return [...Object.values(keys), ...Object.values(servers).flatMap(({ key }) => key ?? [])];
  }

  /** Calls back with every stored key whenever a process has changed them. Returns an unsubscribe function. */
  onChange(listener: (secrets: readonly string[]) => void): () => void {
    mkdirSync(this.#home, { recursive: true, mode: 0o700 });
    const watcher = watch(this.#home, { persistent: false }, (_, name) => {
      if (name !== providersFile) return;
      try {
        listener(this.secrets());
      } catch (error) {
        // A damaged file has no keys that are used; who uses it reports it.
        if (!SingletreeError.is(error, 'invalid_config')) throw error;
      }
    });
    return () => watcher.close();
  }

  storeKey(variable: string, key: string): void {
    const { keys, servers } = this.#file.load();
    this.#file.write({ keys: { ...keys, [variable]: key }, servers });
  }

  storeServer(id: string, { name, baseURL, key }: StoredServer): void {
    const { keys, servers } = this.#file.load();
    this.#file.write({ keys, servers: { ...servers, [id]: { baseURL, ...defined({ name, key }) } } });
  }

  /** Returns whether there was one. */
  removeKey(variable: string): boolean {
    const { keys, servers } = this.#file.load();
    const { [variable]: removed, ...others } = keys;
    if (removed !== undefined) this.#file.write({ keys: others, servers });
    return removed !== undefined;
  }

  /** Returns whether there was one. */
  removeServer(id: string): boolean {
    const { keys, servers } = this.#file.load();
    const { [id]: removed, ...others } = servers;
    if (removed !== undefined) this.#file.write({ keys, servers: others });
    return removed !== undefined;
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
