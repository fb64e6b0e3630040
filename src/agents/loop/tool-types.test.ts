import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import { defineTool, isCallOf } from './tool.ts';
import type { Tool } from '../contract/agent.ts';
import { loopAgent } from './loop-agent.ts';
import { runParams } from '../../../test/support/run-params.ts';

const weather = defineTool({
  name: 'weather',
  description: 'Returns the weather of a city',
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  needsApproval: ({ days }) => days > 7,
  execute: ({ city }) => ({ city, degrees: 20 }),
});

describe('the types of a tool', () => {
  it('follow from its name, its schema and what it returns', () => {
    expectTypeOf(weather).toEqualTypeOf<
      Tool<'weather', { city: string; days: number }, { city: string; degrees: number }>
    >();
    expectTypeOf(weather).toExtend<Tool>();
    const both = defineTool({
      name: 'both',
      description: '',
      input: z.object({}),
      execute: async () => ({ context: 'for the model', result: 7 }),
    });
    expectTypeOf(both['~output']).toEqualTypeOf<number | undefined>();
  });

  it('are those of a call of it', () => {
    const event = { type: 'tool_call', runId: 'r', id: 'c', name: 'weather', input: { city: 'Rome', days: 1 } };
    const given = event as AgentEvent;
    if (!isCallOf(given, weather)) throw new Error('It is a call of the tool.');
    expectTypeOf(given.input).toEqualTypeOf<{ city: string; days: number }>();
    expect(given.input.city).toBe('Rome');
    expect(isCallOf({ ...given, name: 'other' }, weather)).toBe(false);
    expect(isCallOf({ type: 'warning', runId: 'r', message: 'weather' }, weather)).toBe(false);
  });

  it('accept plain objects, interfaces and lists as a return value', () => {
    interface Report {
      readonly degrees: number;
    }
    const report = (): Report[] => [{ degrees: 20 }];
    const made = defineTool({ name: 'report', description: '', input: z.object({}), execute: report });
    expectTypeOf(made['~output']).toEqualTypeOf<Report[] | undefined>();
  });
});

describe('the definition of a tool', () => {
  it.each([z.string(), z.array(z.object({})), z.enum(['a'])])('is refused when its input is no object', input => {
    expect(() => defineTool({ name: 'odd', description: '', input, execute: () => null })).toThrow(
      /The tool "odd" has an input of type \w+: models send an object\./,
    );
  });

  it.each([z.object({}), z.union([z.object({}), z.object({})]), z.record(z.string(), z.string())])(
    'may have any object as its input',
    input => {
      expect(() => defineTool({ name: 'fine', description: '', input, execute: () => null })).not.toThrow();
    },
  );

  it('names the tool that an agent has twice', async () => {
    const make = () => loopAgent({ id: 'clerk', model: 'openai/gpt-5.5', tools: [weather, weather] });
    const run = () =>
      make().invoke({ run: { runId: 'r', signal: AbortSignal.abort() }, conversation: { messages: [] } });
    expect(() => run()).toThrow('The agent "clerk" has two tools with the name "weather".');
  });
});

it('a tool that needs approval is asked about with its checked input, though the rules allow it', async () => {
  const seen: unknown[] = [];
  const ask = async (needsApproval: boolean | ((input: { city: string; days: number }) => boolean)) => {
    const model = scriptedModel([[{ toolCall: { id: 'a', name: 'weather', input: { city: 'Rome' } } }], 'Done.']);
    const tools = [{ ...weather, needsApproval }];
    const agent = loopAgent({ model, tools, permissions: { default: 'allow', rules: [] } });
    const answers = { wait: async (relayId: string) => ({ relayId, outcome: 'reject' as const }) };
    const types: string[] = [];
    for await (const { type } of agent.invoke(runParams({ host: { answers } }))) types.push(type);
    return types.includes('relay');
  };
  expect(await ask(true)).toBe(true);
  expect(await ask(false)).toBe(false);
  expect(await ask(input => seen.push(input) > 0)).toBe(true);
  expect(seen).toEqual([{ city: 'Rome', days: 1 }]);
});
