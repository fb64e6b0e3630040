import { isDeepStrictEqual } from 'node:util';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { SerialQueue } from '../../../base/serial-queue.ts';
import type { HarnessEvent } from '../harness-event.ts';
import { copyValue } from './copy-value.ts';
import { checkSetting, type HarnessSettings, isSetting } from './harness-settings.ts';
import { type PublicSchema, toJsonSchema, standardSchema } from '../arguments/standard-schema.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';

type Values = Record<string, unknown>;

export interface StateStoreOptions {
  readonly schema?: PublicSchema;
  readonly initialState?: Readonly<Values>;
  /**
   * Called once per update with the new state and the set keys; settings are included only when they changed. `events`
   * are the events that follow.
   */
  readonly onChange?: (state: Values, changedKeys: string[], events: readonly HarnessEvent[]) => void;
  /** Receives the events of an update after it took effect. */
  readonly onEvents?: (events: readonly HarnessEvent[]) => void;
}

/** The result of an updater: the keys to set, the events to emit, and a return value. */
export interface StateUpdate<Result> {
  readonly updates?: Readonly<Values>;
  readonly events?: readonly HarnessEvent[];
  readonly result: Result;
}

/** Computes an update from the newest state. */
export type StateUpdater<Result> = (state: Readonly<Values>) => StateUpdate<Result> | Promise<StateUpdate<Result>>;

/**
 * The state of a harness as one object. It consists of the values of the user's schema and the harness settings; a
 * schema may restrict the settings that it names, but never drops them. Updates are applied one after another; a
 * rejected update changes nothing.
 */
export class StateStore {
  readonly #schema: StateSchema;
  readonly #options: StateStoreOptions;
  #own: Values;
  #settings: Values = {};
  readonly #queue: SerialQueue;
  /** Resolves when the initial state is valid; rejects when an asynchronous schema rejects it. */
  readonly ready: Promise<void>;

  /** Throws `invalid_argument` when the initial state does not conform to the schema. */
  constructor(options: StateStoreOptions = {}) {
    this.#options = options;
    this.#schema = stateSchema(options.schema);
    const initial = { ...this.#schema.defaults, ...options.initialState };
    const { settings, own } = split(copyValue(initial), issue => invalidInitial([issue]));
    for (const [key, value] of Object.entries(settings)) this.#settings = withSetting(this.#settings, key, value);
    this.#own = own;
    const checked = this.#schema.check(this.#checkable(own, settings));
    this.ready = checked instanceof Promise ? checked.then(result => this.#begin(result)) : Promise.resolve();
    // Every use of the queue rejects with it.
    this.ready.catch(() => {});
    this.#queue = new SerialQueue(this.ready);
    if (!(checked instanceof Promise)) this.#begin(checked);
  }

  /** Returns a deep copy of the state. */
  get(): Values {
    return copyValue({ ...this.#own, ...this.#settings });
  }

  /** Returns one setting, regardless of the schema. */
  setting<Key extends keyof HarnessSettings>(key: Key): HarnessSettings[Key] {
    return (this.#settings as HarnessSettings)[key];
  }

  /** Sets one setting synchronously. */
  setSetting<Key extends keyof HarnessSettings>(key: Key, value: HarnessSettings[Key]): void {
    const before = this.setting(key);
    this.#commit(this.#own, withSetting(this.#settings, key, value), isDeepStrictEqual(before, value) ? [] : [key]);
  }

  /**
   * Merges updates into the state; rejects with "Invalid state update: …" and changes nothing when they are invalid.
   */
  set(updates: Readonly<Values>): Promise<void> {
    return this.update(() => ({ updates, result: undefined }));
  }

  /** Runs an updater on the newest state and applies its update before any later one. */
  update<Result>(updater: StateUpdater<Result>): Promise<Result> {
    return this.#queue.run(async () => {
      const { updates = {}, events = [], result } = await updater(this.get());
      await this.#apply(updates, events);
      if (events.length > 0) this.#options.onEvents?.(events);
      return result;
    });
  }

  async #apply(updates: Readonly<Values>, events: readonly HarnessEvent[]): Promise<void> {
    const { settings, own } = split(copyValue(updates), issue => invalidUpdate([issue]));
    const checked = await this.#schema.check(
      this.#checkable({ ...this.#own, ...own }, { ...this.#settings, ...settings }),
    );
    if ('issues' in checked) throw invalidUpdate(checked.issues);
    let next = this.#settings;
    for (const [key, value] of Object.entries(settings)) next = withSetting(next, key, value);
    this.#commit(ownValues(checked.value), next, Object.keys(updates), events);
  }

  /** The input of the schema: the user's keys, and the settings that the schema names. */
  #checkable(own: Values, settings: Values): Values {
    const named = Object.entries(settings).filter(([key, value]) => this.#schema.keys.has(key) && value !== undefined);
    return { ...own, ...Object.fromEntries(named) };
  }

  /** A missing required key is valid initially: it can be set later. */
  #begin(checked: StateCheck): void {
    if ('value' in checked) {
      this.#own = ownValues(checked.value);
      return;
    }
    const known = this.get();
    const faults = checked.issues.filter(({ path: [key] }) => key === undefined || known[String(key)] !== undefined);
    if (faults.length > 0) throw invalidInitial(faults);
  }

  #commit(own: Values, settings: Values, keys: string[], events: readonly HarnessEvent[] = []): void {
    this.#own = own;
    this.#settings = settings;
    if (keys.length > 0) this.#options.onChange?.(this.get(), keys, events);
  }
}

function split(values: Readonly<Values>, refuse: (issue: StateIssue) => Error): { own: Values; settings: Values } {
  const own: Values = {};
  const settings: Values = {};
  for (const [key, value] of Object.entries(values)) {
    if (!isSetting(key)) {
      own[key] = value;
      continue;
    }
    const checked = checkSetting(key, value);
    if ('problem' in checked) throw refuse({ path: [], message: checked.problem });
    settings[key] = checked.value;
  }
  return { own, settings };
}

function ownValues(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isSetting(key)));
}

function withSetting(settings: Values, key: string, value: unknown): Values {
  const { [key]: _, ...rest } = settings;
  return value === undefined ? rest : { ...rest, [key]: value };
}

function invalidUpdate(issues: readonly StateIssue[]): SingletreeError {
  return new SingletreeError('invalid_argument', `Invalid state update: ${describe(issues)}.`, { details: { issues } });
}

function invalidInitial(issues: readonly StateIssue[]): SingletreeError {
  return new SingletreeError(
    'invalid_argument',
    `The initialState does not conform to the stateSchema: ${describe(issues)}. Correct the initialState or the schema.`,
    { details: { issues } },
  );
}

function describe(issues: readonly StateIssue[]): string {
  return issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
    .join('; ');
}

/** A validation issue of a state. */
interface StateIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

type StateCheck = { readonly value: Record<string, unknown> } | { readonly issues: readonly StateIssue[] };

/** A state schema: its defaults, its known keys, and a check. */
interface StateSchema {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly keys: ReadonlySet<string>;
  check(value: Record<string, unknown>): StateCheck | Promise<StateCheck>;
}

/** Reads a schema; throws `invalid_argument` when it is unreadable. */
export function stateSchema(schema: PublicSchema | undefined): StateSchema {
  if (schema === undefined) return { defaults: {}, keys: new Set(), check: value => ({ value }) };
  const standard = standardSchema(schema, 'the state');
  const properties = listProperties(toJsonSchema(schema));
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

function listProperties(schema: unknown): Readonly<Record<string, unknown>> {
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
