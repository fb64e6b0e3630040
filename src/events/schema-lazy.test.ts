import { expect, it, vi } from 'vitest';
import type * as z from 'zod';
import { getDefinition } from './vocabulary.ts';
import { parseEvent } from './parse.ts';

const built = vi.hoisted(() => [] as unknown[]);
vi.mock('zod', async original => {
  const zod = await original<typeof z>();
  const looseObject: typeof zod.looseObject = (...shape) => {
    const schema = zod.looseObject(...shape);
    built.push(schema);
    return schema;
  };
  return { ...zod, looseObject };
});

it('builds the schema of an event when it is first used, and only once', () => {
  expect(built).toEqual([]);
  for (const content of ['a', 'b']) parseEvent({ type: 'text', runId: 'run', id: 'id', content });
  expect(built).toHaveLength(1);
  expect(getDefinition('text')?.schema).toBe(built[0]);
});
