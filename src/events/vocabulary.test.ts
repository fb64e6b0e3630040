import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import { type AgentEvent, getDefinition, isKnownEvent, vocabulary } from './vocabulary.ts';
import { eventJsonSchema } from './json-schema.ts';

/** Without the index signature that lets unknown fields through at run time: a misspelt field is a type error. */
type Closed<T> = T extends unknown ? { [K in keyof T as string extends K ? never : K]: T[K] } : never;

describe('the vocabulary', () => {
  it('has the types of its schemas', () => {
    expectTypeOf<AgentEvent>().toEqualTypeOf<Closed<z.infer<(typeof vocabulary)[number]['schema']>>>();
  });

  it('has every event once', () => {
    expect(vocabulary.map(definition => definition.type)).toEqual([
      'harness_start',
      'harness_end',
      'model_context',
      'step_start',
      'session',
      'user',
      'text',
      'reasoning',
      'tool_input_delta',
      'tool_call',
      'tool_start',
      'tool_progress',
      'tool_result',
      'repl_input',
      'repl_progress',
      'repl_output',
      'relay',
      'relay_resolved',
      'grant_revoked',
      'plan_status',
      'tasks',
      'summary',
      'usage',
      'error',
      'warning',
      'file_registered',
      'unknown',
      'custom',
      'mode_changed',
      'model_changed',
      'folder_changed',
      'branch_selected',
      'collapsed',
      'run_requested',
      'abort_requested',
      'message_queued',
      'message_changed',
      'message_withdrawn',
      'steer_requested',
    ]);
  });

  it('makes barriers of the events that a crash must not lose', () => {
    const barriers = vocabulary.filter(definition => definition.durability === 'barrier').map(({ type }) => type);
    expect(barriers).toEqual(
      expect.arrayContaining([
        'user',
        'harness_start',
        'harness_end',
        'relay',
        'relay_resolved',
        'grant_revoked',
        'tool_start',
        'tool_result',
      ]),
    );
  });

  it('has the growing field of every delta', () => {
    for (const { type, durability, fragment } of vocabulary)
      expect([type, fragment !== undefined]).toEqual([type, durability === 'delta']);
  });

  it('distinguishes known from unknown types', () => {
    expect(isKnownEvent({ type: 'text' })).toBe(true);
    expect(isKnownEvent({ type: 'constructor' })).toBe(false);
    expect(getDefinition('toString')).toBeUndefined();
  });
});

describe('the JSON Schema', () => {
  it('has a definition for each event', () => {
    const schema = eventJsonSchema();
    expect(Object.keys(schema['$defs'] as object)).toEqual(vocabulary.map(({ type }) => type));
    expect((schema['$defs'] as Record<string, object>)['text']).toMatchObject({
      description: 'A fragment of streamed text.',
      required: ['type', 'runId', 'id', 'content'],
    });
  });
});
