import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { HarnessEvent } from '../harness-event.ts';
import { StateStore, type StateStoreOptions } from './state-store.ts';

function open(options: Omit<StateStoreOptions, 'onChange' | 'onEvents'> = {}) {
  const changes: [unknown, readonly string[]][] = [];
  const events: HarnessEvent[] = [];
  const store = new StateStore({
    ...options,
    onChange: (state, keys) => void changes.push([state, keys]),
    onEvents: emitted => void events.push(...emitted),
  });
  return { store, changes, events };
}

const jsonSchema = {
  type: 'object',
  properties: { count: { type: 'number', default: 1 }, name: { type: 'string' } },
  required: ['count'],
};
/** A Standard Schema of no library: numbers only, under any key, checked a moment later. */
const numbersOnly = {
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: async (value: unknown) => {
      const bad = Object.entries(value as object).filter(([, entry]) => typeof entry !== 'number');
      return bad.length === 0 ? { value } : { issues: bad.map(([key]) => ({ path: [key], message: 'no number' })) };
    },
  },
};

/** A Standard JSON Schema that converts to one draft and does not validate. */
const jsonOnly = {
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    jsonSchema: {
      input: ({ target }: { target: string }) => {
        if (target !== 'draft-07') throw new Error(`no ${target}`);
        return jsonSchema;
      },
      output: () => jsonSchema,
    },
  },
};

describe('the initial state', () => {
  it.each([
    ['zod', z.object({ count: z.number().default(1), name: z.string().optional() })],
    ['JSON Schema', jsonSchema],
    ['Standard JSON Schema', jsonOnly],
  ])('contains the defaults of the schema and the given values: %s', (_, schema) => {
    expect(open({ schema }).store.get()).toEqual({ count: 1 });
    expect(open({ schema, initialState: { count: 2, name: 'x' } }).store.get()).toEqual({ count: 2, name: 'x' });
  });

  it.each([
    ['zod', z.object({ count: z.number().default(1) })],
    ['a strict zod', z.strictObject({ count: z.number().default(1) })],
    ['JSON Schema', jsonSchema],
    ['Standard JSON Schema', jsonOnly],
  ])('is rejected when it does not conform: %s', (_, schema) => {
    expect(() => open({ schema, initialState: { count: 'many' } })).toThrow(
      /The initialState does not conform to the stateSchema: count: .*number/,
    );
  });

  it('is rejected with a key that a strict schema does not know', () => {
    expect(() => open({ schema: z.strictObject({}), initialState: { other: 1 } })).toThrow(/other/);
  });

  it('may lack required keys: they can be set later', async () => {
    const { store } = open({ schema: z.object({ path: z.string() }) });
    expect(store.get()).toEqual({});
    await store.set({ path: '/x' });
    expect(store.get()).toEqual({ path: '/x' });
  });

  it('that an asynchronous schema rejects rejects ready', async () => {
    const { store } = open({ schema: numbersOnly, initialState: { a: 'x' } });
    await expect(store.ready).rejects.toThrow(/initialState .* a: no number/);
    await expect(open({ schema: numbersOnly, initialState: { a: 1 } }).store.ready).resolves.toBeUndefined();
  });

  it('is rejected when the schema is unreadable', () => {
    expect(() => open({ schema: { type: 'nonsense' } })).toThrow(/schema of the state is unreadable/);
  });
});

describe('the state', () => {
  it('cannot be changed through a value that was passed or returned', async () => {
    const initial = { list: [1] };
    const update = { map: new Map([['a', { n: 1 }]]) };
    const { store, changes } = open({ initialState: initial });
    await store.set(update);
    const returned = store.get() as typeof initial & typeof update;
    const [[changed]] = changes as [[typeof initial, string[]]];
    for (const value of [initial, returned, changed]) value.list.push(2);
    for (const { map } of [update, returned]) map.set('a', { n: 2 });
    await store.update(state => {
      (state['list'] as number[]).push(3);
      return { result: undefined };
    });
    expect(store.get()).toEqual({ list: [1], map: new Map([['a', { n: 1 }]]) });
  });
});

describe('a state update', () => {
  it('merges, and reports the set keys', async () => {
    const { store, changes } = open({ initialState: { a: 1, b: { c: [1] } } });
    await store.set({ a: 1, b: { c: [2] }, d: true });
    expect(changes).toEqual([[{ a: 1, b: { c: [2] }, d: true }, ['a', 'b', 'd']]]);
    await store.set({});
    expect(changes).toHaveLength(1);
  });

  it('that is rejected changes nothing, and the next one is applied', async () => {
    const { store, changes } = open({ schema: jsonSchema });
    await expect(store.set({ count: 'x' })).rejects.toThrow(/^Invalid state update: count: /);
    expect([store.get(), changes]).toEqual([{ count: 1 }, []]);
    await store.set({ count: 5 });
    expect(store.get()).toEqual({ count: 5 });
  });

  it('is applied after all earlier ones, on the newest state', async () => {
    const { store } = open({ initialState: { list: [] } });
    const add = (value: number, wait: Promise<void>) =>
      store.update(async state => {
        await wait;
        return { updates: { list: [...(state['list'] as number[]), value] }, result: value };
      });
    let release = () => {};
    const slow = add(
      1,
      new Promise(resolve => {
        release = resolve;
      }),
    );
    const rest = [add(2, Promise.resolve()), store.set({ other: true })];
    release();
    expect(await slow).toBe(1);
    await Promise.all(rest);
    expect(store.get()).toEqual({ list: [1, 2], other: true });
  });

  it('emits its events after it took effect', async () => {
    const { store, events, changes } = open();
    await store.update(() => ({ updates: { a: 1 }, events: [{ type: 'info', message: 'set' }], result: undefined }));
    expect([changes.length, events]).toEqual([1, [{ type: 'info', message: 'set' }]]);
  });

  it('is transformed by the schema', async () => {
    const { store } = open({ schema: z.object({ name: z.string().trim() }) });
    await store.set({ name: '  x ', unknown: 1 });
    expect(store.get()).toEqual({ name: 'x' });
  });
});

describe('a harness setting', () => {
  const rules = { categories: { execute: 'deny' as const }, tools: { rm: 'deny' as const } };

  it.each([
    ['drops unknown keys', z.object({ name: z.string().optional() })],
    ['refuses unknown keys', z.strictObject({ name: z.string().optional() })],
    ['is no zod', numbersOnly],
  ])('is preserved by a schema that %s', async (_, schema) => {
    const { store } = open({ schema, initialState: { yolo: true } });
    await store.ready;
    await store.set({
      permissionRules: rules,
      currentModelId: 'p/m',
      observerModelId: 'p/o',
      subagentModelId_explore: 'p/s',
    });
    expect(store.get()).toEqual({
      yolo: true,
      permissionRules: rules,
      currentModelId: 'p/m',
      observerModelId: 'p/o',
      subagentModelId_explore: 'p/s',
    });
    expect(store.setting('permissionRules')).toEqual(rules);
  });

  it('is validated by a schema that names it, and always by the harness', async () => {
    const { store } = open({ schema: z.object({ currentModelId: z.enum(['p/a', 'p/b']).default('p/a') }) });
    expect(store.setting('currentModelId')).toBe('p/a');
    await expect(store.set({ currentModelId: 'p/c' })).rejects.toThrow(/^Invalid state update: currentModelId/);
    await expect(store.set({ permissionRules: { tools: { rm: 'never' } } })).rejects.toThrow(
      /permissionRules\.tools\.rm/,
    );
    await expect(store.set({ yolo: 'yes' })).rejects.toThrow(/yolo/);
    expect(() => open({ initialState: { yolo: 1 } })).toThrow(/initialState .*yolo/);
  });

  it('is set synchronously, so that several changes in a row all take effect', () => {
    const { store, changes } = open();
    store.setSetting('permissionRules', { categories: {}, tools: { a: 'deny' } });
    store.setSetting('permissionRules', {
      categories: {},
      tools: { ...store.setting('permissionRules')?.tools, b: 'ask' },
    });
    expect(store.get()['permissionRules']).toEqual({ categories: {}, tools: { a: 'deny', b: 'ask' } });
    expect(changes.map(([, keys]) => keys)).toEqual([['permissionRules'], ['permissionRules']]);
  });

  it('is reported only when its value changes', () => {
    const { store, changes } = open();
    store.setSetting('yolo', true);
    store.setSetting('yolo', true);
    expect(changes.map(([, keys]) => keys)).toEqual([['yolo']]);
  });

  it('assigns task ids, and can be removed', async () => {
    const { store, changes } = open();
    await store.set({ tasks: [{ content: 'Run tests', status: 'pending', activeForm: 'Running tests' }] });
    expect(store.setting('tasks')).toMatchObject([{ id: 'task_run_tests' }]);
    await store.set({ tasks: undefined });
    expect([store.get(), changes.at(-1)?.[1]]).toEqual([{}, ['tasks']]);
  });
});
