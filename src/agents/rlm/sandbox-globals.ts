/**
 * Messages from the sandbox to its thread: printed output, the answer as text or as the JSON of another value, or a
 * numbered function call; all as JSON.
 */
type Send = (kind: 'stdout' | 'stderr' | 'final' | 'final-json' | 'call', json: string, id?: number) => void;

/** The parameters of the sandbox's global names. */
export interface GlobalsConfig {
  /** The functions that the host answers, in addition to `llm_query`. */
  readonly functions: readonly string[];
  readonly maxOutputLength: number;
  readonly maxFinalLength: number;
}

/** The thread's interface to the sandbox. */
export interface SandboxGlobals {
  /** Receives a piece of the context, as JSON. */
  feed(json: string): void;
  /** Restores every global name that code may have changed; throws when that is impossible. */
  install(): void;
  /** Settles a call: a value or a message, as JSON. */
  settle(id: number, ok: boolean, json: string): void;
  /** Returns a thrown value as JSON text for the model. */
  describe(error: unknown): string;
}

/**
 * Creates the globals of the sandbox. It runs inside the sandbox, where it arrives as text, so it must not refer to
 * anything outside of itself. Code that modifies built-in objects can damage only its own sandbox.
 */
export function sandboxGlobals(send: Send, configJson: string): SandboxGlobals {
  const { parse, stringify } = JSON;
  const { functions, maxOutputLength, maxFinalLength } = parse(configJson) as GlobalsConfig;
  const { isExtensible, keys } = Object;
  const waiting: Record<number, { resolve(value: unknown): void; reject(error: Error): void }> = {
    __proto__: null,
  } as never;
  let calls = 0;
  let pieces: string[] = [];
  let context = '';

  const show = (value: unknown): string => {
    if (typeof value === 'string') return value;
    if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`;
    if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? `${value}n` : String(value);
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (value instanceof Promise) return '[a promise: await it]';
    try {
      return stringify(value, (_, inner: unknown) => {
        if (inner instanceof Map || inner instanceof Set) return [...inner] as unknown[];
        if (inner instanceof Error || typeof inner === 'function' || typeof inner === 'bigint') return show(inner);
        return inner;
      });
    } catch (error) {
      return `[an object that JSON cannot carry: ${String(error)}]`;
    }
  };

  const printer =
    (kind: 'stdout' | 'stderr') =>
    (...values: unknown[]): void => {
      let text = '';
      for (let n = 0; n < values.length; n++) text += (n === 0 ? '' : ' ') + show(values[n]);
      send(kind, stringify(`${text}\n`.slice(0, maxOutputLength + 1)));
    };

  const call = (name: string, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++calls;
      send('call', stringify({ name, args }), id);
      waiting[id] = { resolve, reject };
    });

  const FINAL = (value: unknown): unknown => {
    if (value instanceof Promise) return value.then(FINAL);
    const text = typeof value === 'string' ? value : stringify(value);
    if (typeof text !== 'string') throw new TypeError('FINAL(value) takes a string or a value that JSON can carry.');
    if (text.length > maxFinalLength)
      throw new RangeError(`The answer has ${text.length} characters: FINAL accepts at most ${maxFinalLength}.`);
    send(typeof value === 'string' ? 'final' : 'final-json', stringify(text));
    return undefined;
  };

  const SHOW_VARS = (): string => {
    let text = '';
    for (const name of keys(globalThis)) {
      if (name in names) continue;
      const value = (globalThis as Record<string, unknown>)[name];
      const size = typeof value === 'string' || Array.isArray(value) ? ` of length ${value.length}` : '';
      text += `${name}: ${Array.isArray(value) ? 'array' : typeof value}${size}\n`;
    }
    return text || 'There are no variables.';
  };

  const print = printer('stdout');
  const warn = printer('stderr');
  const names: Record<string, unknown> = {
    print,
    console: { log: print, info: print, debug: print, warn, error: warn },
    llm_query: (prompt: unknown, about?: unknown) =>
      call('llm_query', about === undefined || about === null ? [show(prompt)] : [show(prompt), show(about)]),
    FINAL,
    SHOW_VARS,
  };
  for (const name of functions) names[name] = (...args: unknown[]) => call(name, args);

  return {
    feed: json => void (pieces[pieces.length] = parse(json) as string),
    install: () => {
      if (pieces.length > 0) context = pieces.join('');
      pieces = [];
      names['context'] = context;
      const global = globalThis as Record<string, unknown>;
      for (const name of keys(names)) {
        global[name] = names[name];
        if (global[name] !== names[name] || !isExtensible(global))
          throw new Error(`${name} cannot be set: the global object was changed.`);
      }
    },
    settle: (id, ok, json) => {
      const call = waiting[id];
      delete waiting[id];
      if (ok) call?.resolve(parse(json));
      else call?.reject(new Error(parse(json) as string));
    },
    describe: error => {
      if (error === null) return stringify('Thrown: null. The engine does that, too, when its memory is full.');
      if (!(error instanceof Error)) return stringify(`Thrown: ${show(error)}`.slice(0, 2_000));
      const where = typeof error.stack === 'string' ? error.stack.slice(0, 500) : '';
      return stringify(`${error.name}: ${error.message}`.slice(0, 2_000) + (where === '' ? '' : `\n${where}`));
    },
  };
}
