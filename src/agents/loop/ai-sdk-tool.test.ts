import { createAnthropic, anthropic } from '@ai-sdk/anthropic';
import { jsonSchema, tool } from 'ai';
import { jsonSchema as jsonSchema5, tool as tool5 } from 'ai5';
import { jsonSchema as jsonSchema7, tool as tool7 } from 'ai7';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { startScriptedServer } from '../../testing/scripted-server.ts';
import type { Answers } from '../contract/host.ts';
import type { HostParams } from '../contract/agent.ts';
import { modelAgent } from '../model/call/model-agent.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { NamedTools } from './ai-sdk-tool.ts';
import { loopAgent } from './loop-agent.ts';
import { runParams } from '../../../test/support/run-params.ts';

const input = z.object({ city: z.string() });
const json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const execute = ({ city }: { city: string }) => ({ city, degrees: 7 });

const weather: readonly (readonly [string, NamedTools])[] = [
  ['5 with zod', { weather: tool5({ description: 'The weather.', inputSchema: input, execute }) }],
  ['6 with zod', { weather: tool({ description: 'The weather.', inputSchema: input, execute }) }],
  ['7 with zod', { weather: tool7({ description: 'The weather.', inputSchema: input, execute }) }],
  ['5 with JSON Schema', { weather: tool5({ inputSchema: jsonSchema5<{ city: string }>(json as never), execute }) }],
  ['6 with JSON Schema', { weather: tool({ inputSchema: jsonSchema<{ city: string }>(json as never), execute }) }],
  ['7 with JSON Schema', { weather: tool7({ inputSchema: jsonSchema7<{ city: string }>(json as never), execute }) }],
];

const call = (name: string, input: unknown) => [{ toolCall: { id: 'a', name, input } }];
const answers: Answers = { wait: async relayId => ({ relayId, outcome: 'reject', feedback: 'No.' }) };

async function run(tools: NamedTools, name: string, given: unknown, host: HostParams = {}) {
  const model = scriptedModel([call(name, given), 'Done.']);
  const agent = loopAgent({ model, tools, permissions: { default: 'allow', rules: [] } });
  const events: AgentEvent[] = [];
  for await (const event of agent.invoke(runParams({ host }))) events.push(event);
  const result = events.find((event): event is EventOf<'tool_result'> => event.type === 'tool_result');
  return { events, output: result?.output };
}

describe.each(weather)('a tool of AI SDK %s', (_, tools) => {
  it('is executed with its checked input', async () => {
    const { output } = await run(tools, 'weather', { city: 'Oslo' });
    expect(output).toMatchObject({ result: { city: 'Oslo', degrees: 7 } });
    expect((await run(tools, 'weather', { town: 'Oslo' })).output).toMatchObject({
      error: expect.stringContaining('not valid') as string,
    });
  });
});

describe('a tool of the AI SDK', () => {
  it('is asked about when it needs approval, though the rules allow it', async () => {
    const risky = tool({ inputSchema: input, execute, needsApproval: ({ city }) => city === 'Oslo' });
    const { output, events } = await run({ risky }, 'risky', { city: 'Oslo' }, { answers });
    expect(output).toMatchObject({ status: 'denied', reason: expect.stringContaining('No.') as string });
    expect(events.some(({ type }) => type === 'relay')).toBe(true);
    expect((await run({ risky }, 'risky', { city: 'Rome' }, { answers })).output).toMatchObject({
      result: { city: 'Rome' },
    });
  });

  it('shows the model what toModelOutput returns', async () => {
    const short = tool({
      inputSchema: input,
      execute,
      toModelOutput: ({ output }) => ({ type: 'text', value: `${output.degrees} degrees` }),
    });
    const { output } = await run({ short }, 'short', { city: 'Oslo' });
    expect(output).toEqual({ context: '7 degrees', result: { city: 'Oslo', degrees: 7 } });
  });

  it('reports preliminary results', async () => {
    const slow = tool({
      inputSchema: input,
      async *execute() {
        yield 'looking';
        yield 'found';
      },
    });
    const { output, events } = await run({ slow }, 'slow', { city: 'Oslo' });
    expect(output).toMatchObject({ result: 'found' });
    expect(events.some(({ type }) => type === 'tool_progress')).toBe(true);
  });

  it('without execute is refused', () => {
    const model = scriptedModel([]);
    expect(() => loopAgent({ model, tools: { far: tool({ inputSchema: input }) } })).toThrow(
      'The tool "far" has no `execute`',
    );
  });

  it('of a provider is offered by its own definition', async () => {
    const server = await startScriptedServer({ script: ['Fine.'] });
    const model = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'key' })('claude-sonnet-4-5');
    const agent = modelAgent(model, { tools: { web_search: anthropic.tools.webSearch_20250305({ maxUses: 2 }) } });
    const messages = [{ role: 'user' as const, content: 'Go.' }];
    for await (const event of agent.invoke({
      run: { runId: 'run', signal: new AbortController().signal },
      conversation: { messages },
    }))
      void event;
    expect(server.requests[0]?.body).toMatchObject({
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }],
    });
    await server.close();
  });
});
