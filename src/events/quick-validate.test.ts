import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { getDefinition, vocabulary } from './vocabulary.ts';
import { quickValidator } from './quick-validate.ts';

const words = ['', 'x', 'complete', 'stdout', 'global', 'draft', 'compaction', 'approve', '2026-01-01T00:00:00Z'];
const values = [...words, 0, 1, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, true, null, undefined, [], {}, ['x']];

const usual = {
  user: { runId: 'r', content: 'hello' },
  harness_start: { runId: 'r', agentId: 'a', parentId: 'p' },
  step_start: { runId: 'r', step: 0, callId: 'c', model: 'm', requestHash: 'h' },
  text: { runId: 'r', id: 't', content: '' },
  usage: { runId: 'r', inputTokens: 1, outputTokens: 0.5, cost: 0 },
  tool_call: { runId: 'r', id: 't', name: 'n', input: { at: 1 } },
  tool_start: { runId: 'r', id: 't', name: 'n' },
  tool_result: { runId: 'r', id: 't', name: 'n', output: { context: 'c' } },
  repl_progress: { runId: 'r', id: 'x', chunk: 'a', stream: 'stderr' },
  warning: { runId: 'r', message: 'm', code: 'c' },
  harness_end: { runId: 'r', agentId: 'a', reason: 'complete' },
};

describe('the quick check', () => {
  it.each(Object.entries(usual))('accepts only values that the schema accepts: %s', (type, event) => {
    const { schema, passesQuickCheck } = vocabulary.find(definition => definition.type === type) ?? vocabulary[0];
    const fields = Object.keys(schema instanceof z.ZodObject ? schema.shape : {});
    const others = fc.dictionary(fc.constantFrom(...fields), fc.constantFrom(...values), { maxKeys: 3 });
    fc.assert(
      fc.property(others, other => {
        const changed = { type, ...event, ...other };
        if (passesQuickCheck(changed)) expect(schema.safeParse(changed).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['as it is made', {}],
    ['as it is stored', { seq: 7, ts: '2026-01-01T00:00:00.000Z' }],
  ])('accepts nearly every event, %s', (_, stored) => {
    const sure = Object.entries(usual).filter(([type, event]) =>
      getDefinition(type)?.passesQuickCheck({ type, ...event, ...stored }),
    );
    expect(sure.map(([type]) => type)).toEqual(Object.keys(usual));
  });

  it.each([
    ['not an object', z.string(), 'text'],
    ['an array', z.looseObject({}), []],
    ['an object that may have no other fields', z.strictObject({}), { at: 1 }],
    ['an object whose other fields are checked', z.looseObject({}).catchall(z.string()), { at: 1 }],
    ['an object that is looked at as a whole', z.looseObject({}).refine(() => false), {}],
    ['a field of another shape', z.looseObject({ at: z.array(z.string()) }), { at: ['x'] }],
    ['a text that has to look like something', z.looseObject({ at: z.email() }), { at: 'me@example.org' }],
    ['a time that is checked', z.looseObject({ at: z.iso.datetime().min(30) }), { at: '2026-01-01T00:00:00Z' }],
    ['no time', z.looseObject({ at: z.iso.datetime() }), { at: '2026-01-01T25:00:00Z' }],
    ['a text that is checked', z.looseObject({ at: z.string().regex(/a/u) }), { at: 'a' }],
    ['a number that is checked', z.looseObject({ at: z.number().multipleOf(2) }), { at: 2 }],
    ['a choice that is checked', z.looseObject({ at: z.enum(['a']).refine(() => false) }), { at: 'a' }],
    ['any value that is refused', z.looseObject({ at: z.unknown().refine(() => false) }), { at: 1 }],
    ['any value with a check that waits', z.looseObject({ at: z.unknown().refine(async () => true) }), { at: 1 }],
    ['any value that is replaced', z.looseObject({ at: z.unknown().overwrite(() => 2) }), { at: 1 }],
    ['another type', z.looseObject({ at: z.literal('a') }), { at: 'b' }],
  ])('is never %s', (_, schema, value) => {
    expect(quickValidator(schema)(value)).toBe(false);
  });
});
